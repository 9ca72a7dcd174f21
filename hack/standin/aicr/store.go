package main

import (
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed catalog
var catalogFiles embed.FS

// carriedSource marks a component whose chart the stand-in carries itself.
const carriedSource = "oci://carried.invalid/charts"

type constraint struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type phase struct {
	Checks      []string     `json:"checks,omitempty"`
	Constraints []constraint `json:"constraints,omitempty"`
}

type component struct {
	Name               string         `json:"name"`
	Type               string         `json:"type,omitempty"`
	Namespace          string         `json:"namespace,omitempty"`
	Chart              string         `json:"chart,omitempty"`
	Version            string         `json:"version,omitempty"`
	Source             string         `json:"source"`
	ValuesFile         string         `json:"valuesFile,omitempty"`
	Overrides          map[string]any `json:"overrides,omitempty"`
	DependencyRefs     []string       `json:"dependencyRefs,omitempty"`
	ManifestFiles      []string       `json:"manifestFiles,omitempty"`
	PreManifestFiles   []string       `json:"preManifestFiles,omitempty"`
	HealthCheckAsserts string         `json:"healthCheckAsserts,omitempty"`
}

func (c component) enabled() bool { return c.Overrides["enabled"] != false }

type overlay struct {
	Name          string            `json:"name"`
	Since         string            `json:"since"`
	Base          string            `json:"base"`
	Criteria      map[string]string `json:"criteria"`
	Constraints   []constraint      `json:"constraints"`
	ComponentRefs []component       `json:"componentRefs"`
	Validation    map[string]phase  `json:"validation"`
	external      bool
}

type placement struct {
	NodeSelectorPaths []string `json:"nodeSelectorPaths"`
	TolerationPaths   []string `json:"tolerationPaths"`
}

type registration struct {
	Name              string   `json:"name"`
	DisplayName       string   `json:"displayName"`
	ValueOverrideKeys []string `json:"valueOverrideKeys"`
	Helm              struct {
		DefaultRepository string `json:"defaultRepository"`
		DefaultChart      string `json:"defaultChart"`
		DefaultVersion    string `json:"defaultVersion"`
		DefaultNamespace  string `json:"defaultNamespace"`
	} `json:"helm"`
	ManifestFiles []string `json:"manifestFiles"`
	Versions      []struct {
		Since   string `json:"since"`
		Version string `json:"version"`
	} `json:"versions"`
	NodeScheduling    map[string]placement `json:"nodeScheduling"`
	StorageClassPaths []string             `json:"storageClassPaths"`
	carried           bool
}

// store is the catalogue with a data pack laid over it.
type store struct {
	overlays   map[string]*overlay
	registry   map[string]*registration
	pack       string   // folder of the data pack, empty without one
	packFiles  []string // its files, relative, sorted by the walk
	validators []validator
}

// openStore reads the catalogue and the pack; pack is empty without one.
func openStore(pack string) (*store, error) {
	s := &store{overlays: map[string]*overlay{}, registry: map[string]*registration{}, pack: pack}
	if err := s.readCatalog(); err != nil {
		return nil, failWith(internal, "the stand-in's own catalogue is broken", err)
	}
	if pack == "" {
		return s, nil
	}
	slog.Info("initializing external data provider", "directory", pack)
	if err := s.listPack(); err != nil {
		return nil, failWith(invalid, "construct layered data provider", err)
	}
	slog.Info("layered data provider initialized", "external_dir", pack, "external_files", len(s.packFiles))
	return s, s.readPack()
}

func (s *store) readCatalog() error {
	var registry struct {
		Components []*registration `json:"components"`
	}
	var overlays struct {
		Overlays []*overlay `json:"overlays"`
	}
	for name, into := range map[string]any{"registry": &registry, "overlays": &overlays} {
		data, err := catalogFiles.ReadFile("catalog/" + name + ".yaml")
		if err != nil {
			return err
		}
		if err := decode(data, into); err != nil {
			return err
		}
	}
	for _, entry := range registry.Components {
		entry.carried = true
		for _, pinned := range entry.Versions {
			if atLeast(pinned.Since) {
				entry.Helm.DefaultVersion = pinned.Version
			}
		}
		entry.Helm.DefaultChart, entry.Helm.DefaultRepository = entry.Name, carriedSource
		s.registry[entry.Name] = entry
	}
	for _, o := range overlays.Overlays {
		if o.Since == "" || atLeast(o.Since) {
			s.overlays[o.Name] = o
		}
	}
	return nil
}

// listPack walks the pack's folder under upstream's rules: registry.yaml at its root, no symbolic links (a mounted
// ConfigMap or Secret is full of them).
func (s *store) listPack() error {
	info, err := os.Stat(s.pack)
	if err != nil {
		return failWith(notFound, "external data directory not found: "+s.pack, err)
	}
	if !info.IsDir() {
		return fail(invalid, "external data path is not a directory: %s", s.pack)
	}
	err = filepath.WalkDir(s.pack, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(s.pack, name)
		if err != nil {
			return err
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			return fail(invalid, "symlinks not allowed: %s", relative)
		}
		if entry.Type().IsRegular() {
			s.packFiles = append(s.packFiles, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		return failWith(internal, "external directory validation failed", err)
	}
	if _, err := os.Stat(filepath.Join(s.pack, "registry.yaml")); err != nil {
		return fail(invalid, "registry.yaml is required in external data directory: %s", s.pack)
	}
	return nil
}

func (s *store) readPack() error {
	for _, name := range s.packFiles {
		data, err := os.ReadFile(filepath.Join(s.pack, name))
		if err != nil {
			return failWith(internal, "failed to read "+name, err)
		}
		switch {
		case name == "registry.yaml":
			err = s.mergeRegistry(data)
		case name == "validators/catalog.yaml":
			err = s.readValidators(data)
		case strings.HasPrefix(name, "overlays/") && path.Ext(name) == ".yaml":
			err = s.addOverlay(name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkHeader refuses what the played version of aicr refuses: from v1.0.0 on only the current header is read.
func checkHeader(file, header string) error {
	if atLeast("1.0.0") && header != "aicr.run/v1beta1" && header != "aicr.run/v1beta2" {
		return fail(invalid, "unsupported apiVersion %q in %s: expected aicr.run/v1beta1", header, file)
	}
	return nil
}

func (s *store) mergeRegistry(data []byte) error {
	var registry struct {
		APIVersion string          `json:"apiVersion"`
		Components []*registration `json:"components"`
	}
	if err := decode(data, &registry); err != nil {
		return failWith(internal, "failed to parse external registry.yaml", err)
	}
	if err := checkHeader("registry.yaml", registry.APIVersion); err != nil {
		return err
	}
	// By name, the whole entry: nothing of the catalogue's entry remains.
	for _, entry := range registry.Components {
		s.registry[entry.Name] = entry
	}
	return nil
}

func (s *store) addOverlay(file string, data []byte) error {
	var document struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec overlay `json:"spec"`
	}
	if err := decode(data, &document); err != nil {
		return failWith(internal, "failed to walk external directory tree",
			failWith(invalid, "failed to parse header for "+file, err))
	}
	if document.Kind != "RecipeMetadata" {
		return nil
	}
	if err := checkHeader(file, document.APIVersion); err != nil {
		return err
	}
	// A file takes the place of the catalogue's with the same path, whatever name it states.
	delete(s.overlays, strings.TrimSuffix(path.Base(file), ".yaml"))
	o := document.Spec
	o.Name, o.external = document.Metadata.Name, true
	s.overlays[o.Name] = &o
	return nil
}

// declares tells whether some overlay states this value.
func (s *store) declares(dimension, value string) bool {
	for _, o := range s.overlays {
		if o.Criteria[dimension] == value {
			return true
		}
	}
	return false
}

// read returns a file of the pack, or says in upstream's words that it is not there.
func (s *store) readManifest(file, owner string) ([]byte, error) {
	if s.pack != "" {
		data, err := os.ReadFile(filepath.Join(s.pack, filepath.FromSlash(file)))
		if err == nil {
			return data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, failWith(internal, "failed to read manifest "+file, err)
		}
		return nil, fail(invalid, "manifest %q (referenced by component %q) not found in embedded data or in the "+
			"--data directory. Check that the path exists in the pack, and that the recipe was made with it.", file, owner)
	}
	return nil, fail(invalid, "manifest %q (referenced by component %q) not found in this binary's embedded data. "+
		"Pass the data pack with --data, or make the recipe again with this version.", file, owner)
}

// healthCheck is the text that a recipe carries for one of the catalogue's components.
func healthCheck(name, namespace string) (string, error) {
	phases := []string{"Pending", "Failed", "Unknown", "CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull"}
	text, err := renderTemplate("checks.yaml.tmpl", map[string]any{"Name": name, "Namespace": namespace, "Phases": phases})
	return string(text), err
}
