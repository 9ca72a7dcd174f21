package main

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// recipe is a resolved recipe, as it stands in recipe.yaml.
type recipe struct {
	Kind            string            `json:"kind"`
	APIVersion      string            `json:"apiVersion"`
	Metadata        recipeMetadata    `json:"metadata"`
	Criteria        map[string]string `json:"criteria"`
	Constraints     []constraint      `json:"constraints,omitempty"`
	ComponentRefs   []component       `json:"componentRefs"`
	DeploymentOrder []string          `json:"deploymentOrder"`
	Validation      map[string]phase  `json:"validation,omitempty"`
}

type recipeMetadata struct {
	Version         string   `json:"version"`
	AppliedOverlays []string `json:"appliedOverlays"`
}

// recipeHeader is what the played version writes.
func recipeHeader() string {
	if atLeast("0.22.0") {
		return "aicr.run/v1"
	}
	return "aicr.run/v1alpha2"
}

func criteriaFlags() []cli.Flag {
	return []cli.Flag{
		text("service", "Kubernetes service"), text("accelerator", "GPU", "gpu"), text("intent", "workload intent"),
		text("os", "operating system of the GPU nodes"), text("platform", "workload platform"),
	}
}

func recipeCommand() *cli.Command {
	return &cli.Command{
		Name:  "recipe",
		Usage: "Resolve criteria to a recipe.",
		Flags: append(criteriaFlags(),
			&cli.IntFlag{Name: "nodes", Usage: "number of GPU nodes, advisory"},
			text("data", "data pack to lay over the catalogue"),
			&cli.BoolFlag{Name: "criteria-strict", Usage: "know only the catalogue's own criteria",
				Sources: cli.EnvVars("AICR_CRITERIA_STRICT")},
			text("output", "file, stdout by default", "o"),
			&cli.StringFlag{Name: "format", Aliases: []string{"t"}, Value: "yaml", Usage: "yaml, json or table"},
			text("kubeconfig", "kubeconfig", "k"),
		),
		Commands: []*cli.Command{recipeListCommand()},
		Action:   runRecipe,
	}
}

func askedCriteria(cmd *cli.Command) map[string]string {
	asked := map[string]string{}
	for _, dimension := range dimensions {
		asked[dimension] = cmd.String(dimension)
	}
	return asked
}

func runRecipe(_ context.Context, cmd *cli.Command) error {
	slog.Info("generating recipe offline — no cluster is read or changed")
	format := cmd.String("format")
	if !slices.Contains([]string{"yaml", "json", "table"}, format) {
		return fail(invalid, "unknown output format: %q, valid formats are: yaml, json, table", format)
	}
	s, err := openStore(cmd.String("data"))
	if err != nil {
		return err
	}
	known := s
	if cmd.Bool("criteria-strict") {
		if known, err = openStore(""); err != nil {
			return err
		}
	}
	asked := askedCriteria(cmd)
	query, err := parseCriteria(asked, known)
	if err != nil {
		return err
	}
	for _, dimension := range dimensions {
		if value, ok := query[dimension]; ok {
			// Upstream says this for every flag, with a snapshot and without.
			slog.Info("CLI flag overriding snapshot-detected value",
				"field", dimension, "detected", "any", "override", value)
		}
	}
	slog.Info("building recipe from criteria", "criteria", query)
	resolved, err := s.resolve(query)
	if err != nil {
		return err
	}
	data, err := encodeAs(format, resolved)
	if err != nil {
		return failWith(internal, "failed to serialize recipe", err)
	}
	if err := writeOutput(cmd.String("output"), data); err != nil {
		return failWith(internal, "failed to create output writer", err)
	}
	var names []string
	for _, c := range resolved.ComponentRefs {
		names = append(names, c.Name)
	}
	slog.Info("recipe generation completed", "output", cmd.String("output"), "components", len(names),
		"componentNames", strings.Join(names, ", "), "overlays", len(resolved.Metadata.AppliedOverlays))
	return nil
}

// encodeAs renders a document; a table is one line a fact.
func encodeAs(format string, value any) ([]byte, error) {
	switch format {
	case "json":
		return encodeJSON(value)
	case "table":
		return encodeTable(value)
	}
	return encodeYAML(value)
}

// resolve turns a query into a recipe.
func (s *store) resolve(query criteria) (*recipe, error) {
	applied, err := s.applied(query)
	if err != nil {
		return nil, err
	}
	if err := s.checkCoverage(query, applied); err != nil {
		return nil, err
	}
	components, constraints, validation, err := s.merge(applied)
	if err != nil {
		return nil, err
	}
	order, err := deploymentOrder(components)
	if err != nil {
		return nil, err
	}
	resolved := &recipe{
		Kind: "RecipeResult", APIVersion: recipeHeader(), Criteria: query.written(), Constraints: constraints,
		DeploymentOrder: order, Validation: validation, Metadata: recipeMetadata{Version: version},
	}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		resolved.ComponentRefs = append(resolved.ComponentRefs, components[name])
	}
	for _, o := range applied {
		resolved.Metadata.AppliedOverlays = append(resolved.Metadata.AppliedOverlays, o.Name)
	}
	return resolved, nil
}

// readRecipe reads a recipe file, or the recipe.yaml of a bundle.
func readRecipe(file string) (*recipe, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, "recipe.yaml")
	}
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, fail(notFound, "recipe file not found: %s", file)
	}
	if err != nil {
		return nil, failWith(internal, "failed to read recipe "+file, err)
	}
	var r recipe
	if err := decode(data, &r); err != nil {
		return nil, failWith(invalid, "failed to parse recipe "+file, err)
	}
	if r.Kind != "RecipeResult" {
		return nil, fail(invalid, "%s is not a recipe: kind is %q", file, r.Kind)
	}
	if atLeast("1.0.0") && r.APIVersion != "aicr.run/v1" && r.APIVersion != "aicr.run/v1beta2" {
		return nil, fail(invalid, "unsupported recipe apiVersion %q in %s: make the recipe again with this version",
			r.APIVersion, file)
	}
	return &r, nil
}
