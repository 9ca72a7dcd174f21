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
	if strings.Contains(o.push, "://") || !strings.Contains(o.push, "/") {
		return fail(invalid, "Reference must be an OCI registry reference")
	}
	repository, err := remote.NewRepository(o.push)
	if err != nil {
		return failWith(invalid, "Reference must be an OCI registry reference", err)
	}
	tag := repository.Reference.Reference
	if tag == "" {
		manifest, _ := s.Predicate.Manifest["digest"].(string)
		tag = name + "-" + strings.TrimPrefix(manifest, "sha256:")[:12]
	}
	if err := authenticate(repository, o); err != nil {
		return err
	}
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

// authenticate takes the credentials from the docker config, $DOCKER_CONFIG or ~/.docker, and nowhere else.
func authenticate(repository *remote.Repository, o publishOptions) error {
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return failWith(internal, "failed to read the docker config", err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: o.insecureTLS}
	repository.PlainHTTP = o.plainHTTP
	repository.Client = &auth.Client{Client: &http.Client{Transport: transport}, Credential: credentials.Credential(store)}
	return nil
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
	if errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden) {
		return failWith(unauthorized, "OCI registry push failed", err)
	}
	if unreachable.MatchString(err.Error()) {
		return failWith(unavailable, "OCI registry push failed after retries", err)
	}
	return failWith(internal, "OCI registry push failed", err)
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
