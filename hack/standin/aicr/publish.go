package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/memory"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

type publishOptions struct {
	dir, push, token               string
	noSign, plainHTTP, insecureTLS bool
}

// publish pushes the summary bundle and writes the pointer beside it. As with upstream, the bundle is in the
// registry before it is signed.
func publish(ctx context.Context, o publishOptions) error {
	dir, s, err := readEvidence(o.dir)
	if err != nil {
		return err
	}
	name := s.Predicate.Recipe["name"]
	slog.Info("publishing evidence bundle", "summaryDir", dir, "recipe", name, "push", o.push)
	target, err := pushTarget(o.push)
	if err != nil {
		return err
	}
	repository, err := remote.NewRepository(target)
	if err != nil {
		return failWith(invalid, "invalid OCI reference", err)
	}
	tag := repository.Reference.Reference
	if tag == "" {
		manifest, _ := s.Predicate.Manifest["digest"].(string)
		tag = name + "-" + strings.TrimPrefix(manifest, "sha256:")[:12]
	}
	authenticate(repository, o)
	descriptor, err := pushFolder(ctx, repository, dir, tag)
	if err != nil {
		return err
	}
	reference := repository.Reference.Registry + "/" + repository.Reference.Repository + ":" + tag
	slog.Info("OCI artifact pushed successfully", "reference", reference, "digest", descriptor.Digest)
	if !o.noSign {
		if err := signWith(o.token); err != nil {
			return err
		}
	}
	parent := o.dir
	if filepath.Base(filepath.Clean(o.dir)) == "summary-bundle" {
		parent = filepath.Dir(filepath.Clean(o.dir))
	}
	err = writePointer(parent, pointer{recipe: name, attestedAt: s.Predicate.AttestedAt, oci: reference, digest: descriptor.Digest.String()})
	if err == nil {
		slog.Info("evidence bundle pushed", "reference", reference, "digest", descriptor.Digest)
	}
	return err
}

// pushTarget spells a reference out: upstream takes one with oci:// before it, drops a digest, and reads a name without
// a registry as one of the Docker Hub.
func pushTarget(reference string) (string, error) {
	reference = strings.TrimPrefix(reference, "oci://")
	if strings.Contains(reference, "://") {
		return "", fail(invalid, "Reference must be an OCI registry reference")
	}
	reference, _, _ = strings.Cut(reference, "@")
	registry, _, found := strings.Cut(reference, "/")
	switch {
	case !found:
		return "docker.io/library/" + reference, nil
	case registry != "localhost" && !strings.ContainsAny(registry, ".:"):
		return "docker.io/" + reference, nil
	}
	return reference, nil
}

// authenticate takes the credentials from the docker config, $DOCKER_CONFIG or ~/.docker, and nowhere else. One that
// cannot be read is no reason to stop.
func authenticate(repository *remote.Repository, o publishOptions) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: o.insecureTLS}
	client := &auth.Client{Client: &http.Client{Transport: transport}}
	if store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{}); err == nil {
		client.Credential = credentials.Credential(store)
	} else {
		slog.Warn("failed to initialize Docker credential store, continuing without authentication", "error", err)
	}
	repository.PlainHTTP, repository.Client = o.plainHTTP, client
}

// pushFolder pushes a folder as one layer, the same bytes for the same content.
func pushFolder(ctx context.Context, repository *remote.Repository, dir, tag string) (ocispec.Descriptor, error) {
	layer, err := archiveFolder(dir)
	if err != nil {
		return ocispec.Descriptor{}, failWith(internal, "failed to pack the evidence bundle", err)
	}
	store := memory.New()
	blob, err := oras.PushBytes(ctx, store, "application/vnd.oci.image.layer.v1.tar+gzip", layer)
	if err != nil {
		return ocispec.Descriptor{}, failWith(internal, "failed to pack the evidence bundle", err)
	}
	blob.Annotations = map[string]string{"org.opencontainers.image.title": ".", "io.deis.oras.content.unpack": "true"}
	descriptor, err := oras.PackManifest(ctx, store, oras.PackManifestVersion1_1, "application/vnd.nvidia.aicr.artifact",
		oras.PackManifestOptions{Layers: []ocispec.Descriptor{blob},
			ManifestAnnotations: map[string]string{ocispec.AnnotationCreated: "1970-01-01T00:00:00Z"}})
	if err != nil {
		return ocispec.Descriptor{}, failWith(internal, "failed to pack the evidence bundle", err)
	}
	if err := store.Tag(ctx, descriptor, tag); err != nil {
		return ocispec.Descriptor{}, failWith(internal, "failed to pack the evidence bundle", err)
	}
	if _, err := oras.Copy(ctx, store, tag, repository, tag, oras.DefaultCopyOptions); err != nil {
		return ocispec.Descriptor{}, pushFailure(err)
	}
	return descriptor, nil
}

var unreachable = regexp.MustCompile(`connection refused|no such host|i/o timeout|network is unreachable`)

// pushFailure gives the registry's answer upstream's code.
func pushFailure(err error) error {
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) {
		return failWith(answerCode(answer.StatusCode), "OCI registry push failed", err)
	}
	if unreachable.MatchString(err.Error()) {
		return failWith(unavailable, "OCI registry push failed after retries", err)
	}
	return failWith(internal, "OCI registry push failed", err)
}

func answerCode(status int) code {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return unauthorized
	case http.StatusNotFound:
		return notFound
	case http.StatusConflict:
		return conflict
	case http.StatusTooManyRequests:
		return rateLimited
	}
	if status >= http.StatusInternalServerError {
		return unavailable
	}
	return invalid
}

func archiveFolder(dir string) ([]byte, error) {
	names, err := listFiles(dir)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	made := map[string]bool{".": true}
	for _, name := range names {
		if parent := path.Dir(name); !made[parent] {
			made[parent] = true
			if err := archive.WriteHeader(&tar.Header{Name: parent + "/", Mode: 0o755, Typeflag: tar.TypeDir}); err != nil {
				return nil, err
			}
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data))}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
