package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

func bundleCommand() *cli.Command {
	return &cli.Command{
		Name:                      "bundle",
		Usage:                     "Write a recipe as a folder that deploys it.",
		DisableSliceFlagSeparator: true, // a value of --set-json is full of commas
		Flags: []cli.Flag{
			text("recipe", "recipe file", "r"), text("output", "folder to write", "o"), text("data", "data pack"),
			&cli.StringFlag{Name: "deployer", Aliases: []string{"d"}, Value: "helm", Usage: "who will apply it"},
			list("set", "component:path=value, scalars only"), list("set-json", "component:path=JSON"),
			list("set-file", "component:path=file of YAML"),
			list("system-node-selector", "key=value"), list("system-node-toleration", "key=value:effect"),
			list("accelerated-node-selector", "key=value"), list("accelerated-node-toleration", "key=value:effect"),
			text("workload-gate", "key=value:effect"), list("workload-selector", "key=value"),
			text("storage-class", "class of the volumes"), text("shared-storage-class", "class of shared volumes"),
			&cli.IntFlag{Name: "nodes", Usage: "number of GPU nodes, advisory"},
			text("kubeconfig", "kubeconfig", "k"),
		},
		Action: runBundle,
	}
}

func runBundle(_ context.Context, cmd *cli.Command) error {
	if cmd.String("recipe") == "" {
		return fail(invalid, "--recipe is required (or set spec.bundle.input.recipe in --config)")
	}
	recipeFile, err := filepath.Abs(cmd.String("recipe"))
	if err != nil {
		return failWith(internal, "no working folder", err)
	}
	output, err := filepath.Abs(cmd.String("output"))
	if err != nil {
		return failWith(internal, "no working folder", err)
	}
	r, err := readRecipe(recipeFile)
	if err != nil {
		return err
	}
	s, err := openStore(cmd.String("data"))
	if err != nil {
		return err
	}
	o, err := readOverrides(cmd)
	if err != nil {
		return err
	}
	if deployer := cmd.String("deployer"); deployer != "helm" {
		return failWith(invalid, "invalid --deployer value",
			fail(invalid, "invalid deployer type %q: must be one of [helm], the only one of the stand-in", deployer))
	}
	slog.Info("generating bundle", "deployer", "helm", "type", "Helm per-component bundle", "recipe", recipeFile,
		"output", output, "oci", false)
	b := &bundle{recipe: r, store: s, dir: output, overrides: o}
	if err := b.selectComponents(); err != nil {
		return err
	}
	if err := b.write(); err != nil {
		return err
	}
	b.report()
	return nil
}

// bundle is one bundle on its way to disk.
type bundle struct {
	recipe     *recipe
	store      *store
	overrides  *overrides
	dir        string
	components []component               // enabled, in deployment order
	values     map[string]map[string]any // effective values by component
	releases   []bundledRelease
	notes      []string
	upgrading  bool // UPGRADING.md was written
	files      int
}

// selectComponents drops what is disabled, and computes the values of what is left.
func (b *bundle) selectComponents() error {
	byName := map[string]component{}
	disabledBy := map[string]string{}
	for _, c := range b.recipe.ComponentRefs {
		byName[c.Name] = c
		switch {
		case b.overrides.enabled[b.canonical(c.Name)] == "false":
			slog.Info("skipping component disabled via --set", "component", c.Name)
			disabledBy[c.Name] = "--set disables it"
		case !c.enabled():
			slog.Info("skipping disabled component", "component", c.Name)
			disabledBy[c.Name] = "the recipe disables it"
		}
	}
	if err := b.overrides.check(b, byName, disabledBy); err != nil {
		return err
	}
	b.values = map[string]map[string]any{}
	for _, name := range b.recipe.DeploymentOrder {
		c, ok := byName[name]
		if _, disabled := disabledBy[name]; !ok || disabled {
			continue
		}
		b.components = append(b.components, c)
		values := mergeValues(map[string]any{}, c.Overrides)
		delete(values, "enabled")
		b.values[name] = b.overrides.apply(b.store.registry[name], b.canonicalNames(name), values)
	}
	if len(b.components) == 0 {
		return fail(invalid, "recipe has no enabled components after filtering")
	}
	return b.checkDriver()
}

// canonical maps an alias of --set to the component's name.
func (b *bundle) canonical(name string) string {
	for _, entry := range b.store.registry {
		if slices.Contains(entry.ValueOverrideKeys, name) {
			return entry.Name
		}
	}
	return name
}

// canonicalNames are all spellings by which --set may mean this component.
func (b *bundle) canonicalNames(name string) []string {
	names := []string{name}
	if entry, ok := b.store.registry[name]; ok {
		names = append(names, entry.ValueOverrideKeys...)
	}
	return names
}

// driverManaged tells whether the GPU operator of this bundle installs the driver.
func (b *bundle) driverManaged() bool {
	values, ok := b.values["gpu-operator"]
	return ok && lookUp(values, "driver.enabled") != false
}

// checkDriver refuses a bundle whose parts disagree about who owns the driver.
func (b *bundle) checkDriver() error {
	if _, ok := b.values["gpu-operator"]; !ok || b.driverManaged() {
		return nil
	}
	if values, ok := b.values["nvidia-dra-driver-gpu"]; ok && lookUp(values, "nvidiaDriverRoot") == nil {
		return fail(invalid, "gpu-operator has driver.enabled=false, so nvidia-dra-driver-gpu needs nvidiaDriverRoot")
	}
	if values, ok := b.values["nvsentinel"]; ok && lookUp(values, "labeler.assumeDriverInstalled") != true {
		return fail(invalid, "gpu-operator has driver.enabled=false, so nvsentinel needs labeler.assumeDriverInstalled=true")
	}
	return nil
}

func (b *bundle) write() error {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return failWith(internal, "failed to create output directory", err)
	}
	if err := b.copyPack(); err != nil {
		return err
	}
	if err := b.writeFolders(); err != nil {
		return err
	}
	if err := b.writeRoot(); err != nil {
		return err
	}
	count, err := sealInventory(b.dir)
	if err != nil {
		return err
	}
	b.files = count + 1
	slog.Info("bundle generated", "type", "Helm per-component bundle", "files", b.files, "output_dir", b.dir)
	return nil
}

// copyPack puts the pack into data/. Files that are there are not overwritten: bundling a pack twice into one
// folder fails, with upstream as well.
func (b *bundle) copyPack() error {
	for _, name := range b.store.packFiles {
		data, err := os.ReadFile(filepath.Join(b.store.pack, name))
		if err != nil {
			return failWith(internal, "failed to copy external data files", err)
		}
		target := filepath.Join(b.dir, "data", name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return failWith(internal, "failed to copy external data files", err)
		}
		file, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return failWith(internal, "failed to copy external data files", err)
		}
		if _, err := file.Write(data); err != nil {
			return failWith(internal, "failed to copy external data files", err)
		}
		if err := file.Close(); err != nil {
			return failWith(internal, "failed to copy external data files", err)
		}
	}
	if b.store.pack != "" {
		slog.Info("external data files copied into bundle", "count", len(b.store.packFiles))
	}
	return nil
}

func (b *bundle) report() {
	fmt.Printf("\nHelm per-component bundle generated successfully!\nOutput directory: %s\nFiles generated: %d\n",
		b.dir, b.files)
	if len(b.notes) > 0 {
		fmt.Printf("\nNote:\n  ⚠ %s\n", strings.Join(b.notes, "\n  ⚠ "))
	}
	fmt.Printf("\nTo deploy:\n  1. cd %s\n  2. chmod +x deploy.sh\n  3. ./deploy.sh\n", b.dir)
}
