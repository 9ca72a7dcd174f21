package main

import (
	"bytes"
	"embed"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed templates
var templateFiles embed.FS

// bundledRelease is one folder of a bundle: one Helm release.
type bundledRelease struct {
	Name      string `json:"name"`
	Component string `json:"component"`
	Namespace string `json:"namespace"`
	Path      string `json:"path"`
	version   string
	repo      string // of a chart that is fetched when deploying
	chart     string
	ownsSpace bool // a manifest of its own makes the namespace
}

// writeFolders writes the numbered folders: before a component its -pre manifests, behind it its -post ones when
// its chart comes from elsewhere.
func (b *bundle) writeFolders() error {
	for _, c := range b.components {
		if len(c.PreManifestFiles) > 0 {
			if err := b.writeLocal(c, c.Name+"-pre", c.PreManifestFiles, ""); err != nil {
				return err
			}
		}
		if c.Source == "" || c.Source == carriedSource {
			if err := b.writeLocal(c, c.Name, c.ManifestFiles, c.Version); err != nil {
				return err
			}
			continue
		}
		if err := b.writeUpstream(c); err != nil {
			return err
		}
		if len(c.ManifestFiles) > 0 {
			if err := b.writeLocal(c, c.Name+"-post", c.ManifestFiles, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextFolder makes the next numbered folder.
func (b *bundle) nextFolder(c component, name string) (*bundledRelease, string, error) {
	folder := fmt.Sprintf("%03d-%s", len(b.releases)+1, name)
	dir := filepath.Join(b.dir, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, "", failWith(internal, "create folder "+folder, err)
	}
	return &bundledRelease{Name: name, Component: c.Name, Namespace: c.Namespace, Path: folder}, dir, nil
}

func (b *bundle) writeLocal(c component, name string, manifests []string, chartVersion string) error {
	r, dir, err := b.nextFolder(c, name)
	if err != nil {
		return err
	}
	if chartVersion == "" {
		chartVersion = "0.1.0"
	}
	r.version = strings.TrimPrefix(chartVersion, "v")
	files := map[string][]byte{"Chart.yaml": fmt.Appendf(nil,
		"apiVersion: v2\nname: %s\ndescription: Made by the stand-in for %s.\ntype: application\nversion: %s\n",
		name, c.Name, r.version)}
	sources := map[string][]byte{}
	if c.Source == carriedSource && name == c.Name {
		if sources["component.yaml"], err = templateFiles.ReadFile("templates/component.yaml.tmpl"); err != nil {
			return err
		}
	}
	for _, file := range manifests {
		base := path.Base(file)
		if _, twice := sources[base]; twice {
			return fail(invalid, "manifest basename collision in component %q: two files are called %q", c.Name, base)
		}
		if sources[base], err = b.store.readManifest(file, c.Name); err != nil {
			return err
		}
	}
	for base, source := range sources {
		rendered, err := b.renderManifest(c, r, source)
		if err != nil {
			return failWith(internal, fmt.Sprintf("render manifest %s for %s", base, c.Name), err)
		}
		r.ownsSpace = r.ownsSpace || slices.Contains(strings.Split(string(rendered), "\n"), "kind: Namespace")
		files["templates/"+base] = rendered
	}
	slog.Info("wrote local chart folder", "index", len(b.releases)+1, "dir", r.Path, "kind", "local-helm", "parent", c.Name)
	return b.finishFolder(r, dir, files)
}

func (b *bundle) writeUpstream(c component) error {
	r, dir, err := b.nextFolder(c, c.Name)
	if err != nil {
		return err
	}
	r.version, r.chart, r.repo = c.Version, path.Base(c.Chart), c.Source
	if strings.HasPrefix(c.Source, "oci://") {
		r.chart, r.repo = strings.TrimSuffix(c.Source, "/")+"/"+path.Base(c.Chart), ""
	}
	env := fmt.Sprintf("CHART=%q\nREPO=%q\nVERSION=%q\n", r.chart, r.repo, r.version)
	slog.Info("wrote upstream chart folder", "index", len(b.releases)+1, "dir", r.Path, "kind", "upstream-helm", "parent", c.Name)
	return b.finishFolder(r, dir, map[string][]byte{"upstream.env": []byte(env)})
}

// finishFolder adds what every folder has, and writes it with upstream's modes: values are private.
func (b *bundle) finishFolder(r *bundledRelease, dir string, files map[string][]byte) error {
	values, err := encodeYAML(b.values[r.Component])
	if err != nil {
		return failWith(internal, "failed to encode values of "+r.Name, err)
	}
	if r.Name != r.Component || len(b.values[r.Component]) == 0 {
		values = []byte("---\n")
	}
	install, err := renderTemplate("install.sh.tmpl", map[string]any{"Release": r, "Upstream": r.chart, "OwnsNamespace": r.ownsSpace})
	if err != nil {
		return failWith(internal, "failed to render install.sh", err)
	}
	files["values.yaml"], files["cluster-values.yaml"], files["install.sh"] = values, []byte("---\n"), install
	for name, data := range files {
		mode := os.FileMode(0o644)
		switch {
		case name == "install.sh":
			mode = 0o755
		case strings.HasSuffix(name, "values.yaml"), name == "upstream.env":
			mode = 0o600
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return failWith(internal, "create folder of "+name, err)
		}
		if err := writeFile(target, data, mode); err != nil {
			return err
		}
	}
	b.releases = append(b.releases, *r)
	return nil
}

// writeFile gives the mode whatever the umask says; deploy.sh must be executable.
func writeFile(target string, data []byte, mode os.FileMode) error {
	if err := os.WriteFile(target, data, mode); err != nil {
		return failWith(internal, "failed to write "+target, err)
	}
	if err := os.Chmod(target, mode); err != nil {
		return failWith(internal, "failed to write "+target, err)
	}
	return nil
}

// renderManifest runs a manifest through the functions that upstream offers at bundle time, and reads it as YAML:
// what is none is refused, and what helm renders later must be none either.
func (b *bundle) renderManifest(c component, r *bundledRelease, source []byte) ([]byte, error) {
	parsed, err := template.New("manifest").Funcs(manifestFunctions).Parse(string(source))
	if err != nil {
		return nil, fail(invalid, "failed to parse manifest template: %s", err)
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]any{
		"Values":  map[string]any{c.Name: b.values[c.Name]},
		"Release": map[string]any{"Namespace": c.Namespace, "Service": "Helm"},
		"Chart":   map[string]any{"Name": r.Name, "Version": r.version},
	})
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(out.Bytes()))
	var again bytes.Buffer
	encoder := yaml.NewEncoder(&again)
	encoder.SetIndent(2)
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil {
			if err.Error() == "EOF" {
				break
			}
			return nil, fail(invalid, "failed to parse rendered manifest as YAML: %s", err)
		}
		if err := encoder.Encode(&document); err != nil {
			return nil, err
		}
	}
	err = encoder.Close()
	return again.Bytes(), err
}

var manifestFunctions = template.FuncMap{
	"quote": func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
	"toYaml": func(value any) (string, error) {
		data, err := encodeYAML(value)
		return strings.TrimSuffix(string(data), "\n"), err
	},
	"nindent": func(width int, text string) string {
		pad := "\n" + strings.Repeat(" ", width)
		return pad + strings.ReplaceAll(text, "\n", pad)
	},
}

func renderTemplate(name string, data any) ([]byte, error) {
	parsed, err := template.New(name).ParseFS(templateFiles, "templates/"+name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, data)
	return out.Bytes(), err
}
