package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// writeRoot writes the files at the bundle's root.
func (b *bundle) writeRoot() error {
	slim, err := b.slimRecipe()
	if err != nil {
		return err
	}
	spaces := map[string]bool{}
	plugin := ""
	for _, r := range b.releases {
		spaces[r.Namespace] = true
		if r.Name == "nvidia-dra-driver-gpu" {
			plugin = r.Namespace
		}
	}
	script, err := renderTemplate("deploy.sh.tmpl", map[string]any{
		"Version": version, "Releases": b.releases, "Namespaces": slices.Sorted(maps.Keys(spaces)),
		"PluginNamespace": plugin, "DriverManaged": b.driverManaged(),
		// Before v0.22 the plugin is restarted whatever the driver does, and kubectl's context is nobody's business.
		"Defers": atLeast("0.22.0"),
	})
	if err != nil {
		return failWith(internal, "failed to render deploy.sh", err)
	}
	readme, err := renderTemplate("README.md.tmpl", map[string]any{
		"Version": version, "Releases": b.releases, "Recipe": b.recipe, "Criteria": stated(b.recipe.Criteria)})
	if err != nil {
		return failWith(internal, "failed to render README.md", err)
	}
	if err := writeFile(filepath.Join(b.dir, "deploy.sh"), script, 0o755); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(b.dir, "README.md"), readme, 0o600); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(b.dir, "recipe.yaml"), slim, 0o600); err != nil {
		return err
	}
	if !atLeast("0.22.0") {
		return nil
	}
	if err := b.writeInfo(slim); err != nil {
		return err
	}
	return b.writeUpgrading()
}

// slimRecipe is the recipe as a bundle keeps it: what is in the bundle, without the health checks' text.
func (b *bundle) slimRecipe() ([]byte, error) {
	slim := *b.recipe
	slim.ComponentRefs, slim.DeploymentOrder = nil, nil
	for _, c := range b.components {
		c.HealthCheckAsserts = ""
		slim.ComponentRefs = append(slim.ComponentRefs, c)
		slim.DeploymentOrder = append(slim.DeploymentOrder, c.Name)
	}
	slices.SortFunc(slim.ComponentRefs, func(x, y component) int { return strings.Compare(x.Name, y.Name) })
	data, err := encodeYAML(slim)
	if err != nil {
		return nil, failWith(internal, "failed to encode recipe.yaml", err)
	}
	return data, nil
}

// writeInfo writes bundle-info.yaml, which v0.22 and later put beside the recipe.
func (b *bundle) writeInfo(recipe []byte) error {
	digest := sha256.Sum256(recipe)
	data, err := encodeYAML(map[string]any{
		"apiVersion": "aicr.run/v1", "kind": "BundleInfo", "metadata": map[string]any{"version": version},
		"build": map[string]any{"deployer": "helm", "settings": map[string]any{}, "recipe": map[string]any{
			"path": "recipe.yaml", "digest": "sha256:" + hex.EncodeToString(digest[:]), "version": b.recipe.Metadata.Version}},
		"layout": map[string]any{"entrypoint": "deploy.sh", "releases": b.releases},
	})
	if err != nil {
		return failWith(internal, "failed to encode bundle-info.yaml", err)
	}
	return writeFile(filepath.Join(b.dir, "bundle-info.yaml"), data, 0o600)
}

// writeUpgrading writes UPGRADING.md when a pinned version is one whose arrival asks something of the operator.
func (b *bundle) writeUpgrading() error {
	records, err := readRecords()
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, c := range b.components {
		for _, r := range records {
			if r.Component != c.Name || r.Verdict == "safe" || older(c.Version, r.Floor) {
				continue
			}
			fmt.Fprintf(&out, "\n## %s: %s\n\nThis bundle pins `%s`. Applies when upgrading from `<%s` into `>=%s <=%s`.\n\n%s\n",
				c.Name, r.Verdict, c.Version, r.Floor, r.Floor, r.Ceiling, r.Summary)
			if r.Precondition != "" {
				fmt.Fprintf(&out, "\n**Before you start:** %s\n", r.Precondition)
			}
			fmt.Fprint(&out, "\n**Steps for helm:**\n\n")
			for i, step := range r.Steps {
				fmt.Fprintf(&out, "%d. `%s`: %s\n", i+1, step.ID, step.Description)
			}
			b.notes = append(b.notes, fmt.Sprintf("%s %s: read UPGRADING.md before it replaces an earlier version (%s)",
				c.Name, c.Version, r.Verdict))
		}
	}
	if out.Len() == 0 {
		return nil
	}
	head := "# Before You Upgrade\n\nMade for the `helm` deployer. Only an installation of an earlier version is concerned; " +
		"on a fresh cluster there\nis nothing to do. An entry is about the version that this bundle pins, not about earlier " +
		"boundaries: ask\n`aicr upgrade-check` about those.\n"
	return writeFile(filepath.Join(b.dir, "UPGRADING.md"), []byte(head+out.String()), 0o600)
}
