package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

// predicateType of the evidence that the played version writes.
func predicateType() string {
	if atLeast("0.22.0") {
		return "https://aicr.run/recipe-evidence/v3"
	}
	return "https://aicr.run/recipe-evidence/v1"
}

type manifestEntry struct {
	Path      string `json:"path"`
	Size      int    `json:"size"`
	SHA256    string `json:"sha256"`
	MediaType string `json:"mediaType"`
}

type evidenceManifest struct {
	SchemaVersion string          `json:"schemaVersion"`
	Files         []manifestEntry `json:"files"`
}

type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     predicate `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type predicate struct {
	SchemaVersion string                `json:"schemaVersion"`
	AttestedAt    string                `json:"attestedAt"`
	AICRVersion   string                `json:"aicrVersion"`
	Recipe        map[string]string     `json:"recipe"`
	Manifest      map[string]any        `json:"manifest"`
	Phases        map[string]phaseProof `json:"phases"`
}

type phaseProof struct {
	Passed     int    `json:"passed"`
	Failed     int    `json:"failed"`
	Skipped    int    `json:"skipped"`
	CTRFDigest string `json:"ctrfDigest"`
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// slug names a recipe by its stated criteria.
func slug(r *recipe) string {
	var parts []string
	for _, dimension := range dimensions {
		if value := r.Criteria[dimension]; value != "" && value != "any" {
			parts = append(parts, value)
		}
	}
	return strings.Join(parts, "-")
}

// emitEvidence writes the evidence bundle of a validation, and pushes it when --push says where to.
func emitEvidence(ctx context.Context, cmd *cli.Command, r *recipe, captured *snapshot, phases map[string]*ctrfReport) error {
	out := cmd.String("emit-attestation")
	dir := filepath.Join(out, "summary-bundle")
	if err := os.MkdirAll(filepath.Join(dir, "ctrf"), 0o755); err != nil {
		return failWith(internal, "failed to create the evidence folder", err)
	}
	attestedAt := time.Now().UTC().Format(time.RFC3339)
	files, proofs, err := evidenceFiles(r, captured, phases, cmd.Bool("full"))
	if err != nil {
		return failWith(internal, "failed to encode the evidence", err)
	}
	manifest := evidenceManifest{SchemaVersion: "1.0.0"}
	for _, file := range files {
		if err := writeFile(filepath.Join(dir, file.name), file.data, 0o600); err != nil {
			return err
		}
		manifest.Files = append(manifest.Files, manifestEntry{file.name, len(file.data), "sha256:" + digestOf(file.data), file.mediaType})
	}
	manifestData, err := encodeJSON(manifest)
	if err != nil {
		return failWith(internal, "failed to encode manifest.json", err)
	}
	recipeDigest := digestOf(files[len(files)-2].data)
	stated, err := json.Marshal(statement{
		Type: "https://in-toto.io/Statement/v1", PredicateType: predicateType(),
		Subject: []subject{{Name: "recipe:" + slug(r), Digest: map[string]string{"sha256": recipeDigest}}},
		Predicate: predicate{SchemaVersion: "1.0.0", AttestedAt: attestedAt, AICRVersion: version,
			Recipe:   map[string]string{"name": slug(r), "digest": recipeDigest},
			Manifest: map[string]any{"digest": "sha256:" + digestOf(manifestData), "fileCount": len(files)}, Phases: proofs},
	})
	if err != nil {
		return failWith(internal, "failed to encode statement.intoto.json", err)
	}
	if err := writeFile(filepath.Join(dir, "manifest.json"), manifestData, 0o600); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "statement.intoto.json"), stated, 0o600); err != nil {
		return err
	}
	slog.Info("evidence bundle built", "summaryDir", dir, "recipe", slug(r), "subjectDigest", recipeDigest)
	if push := cmd.String("push"); push != "" {
		return publish(ctx, publishOptions{dir: out, push: push, noSign: cmd.Bool("no-sign"),
			plainHTTP: cmd.Bool("plain-http"), insecureTLS: cmd.Bool("insecure-tls"), token: cmd.String("identity-token")})
	}
	return writePointer(out, pointer{recipe: slug(r), attestedAt: attestedAt})
}

type evidenceFile struct {
	name, mediaType string
	data            []byte
}

// evidenceFiles lists what the manifest names, sorted by name; the recipe is the last but one.
func evidenceFiles(r *recipe, captured *snapshot, phases map[string]*ctrfReport, full bool) (
	[]evidenceFile, map[string]phaseProof, error) {
	bom, err := encodeJSON(bomOf(r))
	if err != nil {
		return nil, nil, err
	}
	files := []evidenceFile{{"bom.cdx.json", "application/vnd.cyclonedx+json", bom}}
	proofs := map[string]phaseProof{}
	for _, name := range phaseNames {
		report, ran := phases[name]
		if !ran {
			continue
		}
		if !full {
			report = report.redacted()
		}
		data, err := encodeJSON(report)
		if err != nil {
			return nil, nil, err
		}
		summary := report.Results.Summary
		// A check that came to no conclusion is counted nowhere here.
		proofs[name] = phaseProof{summary.Passed, summary.Failed, summary.Skipped, "sha256:" + digestOf(data)}
		files = append(files, evidenceFile{"ctrf/" + name + ".json", "application/json", data})
	}
	for _, document := range []struct {
		name  string
		value any
	}{{"recipe.yaml", r}, {"snapshot.yaml", captured}} {
		data, err := encodeYAML(document.value)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, evidenceFile{document.name, "application/yaml", data})
	}
	return files, proofs, nil
}

func bomOf(r *recipe) map[string]any {
	components := []any{}
	for _, c := range r.ComponentRefs {
		if c.enabled() {
			components = append(components, map[string]any{"type": "application", "name": c.Name, "version": c.Version})
		}
	}
	return map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}
}

// pointer is what pointer.yaml says about a bundle; oci and digest are empty until it was pushed.
type pointer struct{ recipe, attestedAt, oci, digest string }

func writePointer(dir string, p pointer) error {
	data, err := encodeYAML(map[string]any{"schemaVersion": "1.0.0", "recipe": p.recipe, "attestations": []any{
		map[string]any{"attestedAt": p.attestedAt,
			"bundle": map[string]any{"oci": p.oci, "digest": p.digest, "predicateType": predicateType()}}}})
	if err != nil {
		return failWith(internal, "failed to encode pointer.yaml", err)
	}
	file := filepath.Join(dir, "pointer.yaml")
	if err := writeFile(file, data, 0o600); err != nil {
		return err
	}
	slog.Info("evidence pointer written", "path", file)
	return nil
}

// readEvidence finds the summary bundle below a folder, or in it, and reads its statement.
func readEvidence(dir string) (string, *statement, error) {
	for _, candidate := range []string{filepath.Join(dir, "summary-bundle"), dir} {
		data, err := os.ReadFile(filepath.Join(candidate, "statement.intoto.json"))
		if err != nil {
			continue
		}
		var s statement
		if err := json.Unmarshal(data, &s); err != nil {
			return "", nil, failWith(invalid, "failed to parse statement.intoto.json", err)
		}
		return candidate, &s, nil
	}
	return "", nil, fail(invalid, "directory %s does not look like a summary bundle (no recipe.yaml / manifest.json at "+
		"root or under summary-bundle/)", dir)
}

// checkEvidence compares a summary bundle with its manifest and its statement.
func checkEvidence(dir string, s *statement) error {
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return err
	}
	if want := fmt.Sprint(s.Predicate.Manifest["digest"]); want != "sha256:"+digestOf(data) {
		return fmt.Errorf("manifest.json is not the one the statement names")
	}
	var manifest evidenceManifest
	if err := json.Unmarshal(data, &manifest); err != nil {
		return err
	}
	for _, entry := range manifest.Files {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(entry.Path)))
		if err != nil {
			return err
		}
		if "sha256:"+digestOf(content) != entry.SHA256 {
			return fmt.Errorf("%s is not the one the manifest names", entry.Path)
		}
	}
	return nil
}
