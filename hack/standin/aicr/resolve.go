package main

import (
	"maps"
	"slices"
	"sort"
)

// matches tells whether an overlay applies to a query: each dimension it states, the query states with the same
// value.
func (o *overlay) matches(query criteria) bool {
	for dimension, value := range stated(o.Criteria) {
		if query[dimension] != value {
			return false
		}
	}
	return true
}

// chain is the overlay's line of bases, the first one first.
func (s *store) chain(o *overlay) ([]*overlay, error) {
	line := []*overlay{o}
	for o.Base != "" {
		base, ok := s.overlays[o.Base]
		if !ok {
			return nil, fail(notFound, "recipe %q not found (referenced in inheritance chain)", o.Base)
		}
		if slices.Contains(line, base) {
			return nil, fail(invalid, "recipe %q is its own base", base.Name)
		}
		line = append([]*overlay{base}, line...)
		o = base
	}
	return line, nil
}

// applied lists the overlays of a query, from the general to the special; each stands behind its bases.
func (s *store) applied(query criteria) ([]*overlay, error) {
	var matching []*overlay
	for _, o := range s.overlays {
		if o.Name == "base" || o.matches(query) {
			matching = append(matching, o)
		}
	}
	sort.Slice(matching, func(i, j int) bool {
		a, b := matching[i], matching[j]
		if (a.Name == "base") != (b.Name == "base") {
			return a.Name == "base"
		}
		if x, y := len(stated(a.Criteria)), len(stated(b.Criteria)); x != y {
			return x < y
		}
		return a.Name < b.Name
	})
	var order []*overlay
	for _, o := range matching {
		line, err := s.chain(o)
		if err != nil {
			return nil, err
		}
		for _, link := range line {
			if !slices.Contains(order, link) {
				order = append(order, link)
			}
		}
	}
	return order, nil
}

// merge lays the applied overlays over each other and fills in what the registry knows.
func (s *store) merge(applied []*overlay) (map[string]component, []constraint, map[string]phase, error) {
	components := map[string]component{}
	var constraints []constraint
	validation := map[string]phase{}
	for _, o := range applied {
		for _, ref := range o.ComponentRefs {
			components[ref.Name] = mergeComponent(components[ref.Name], ref)
		}
		for _, added := range o.Constraints {
			constraints = slices.DeleteFunc(constraints, func(c constraint) bool { return c.Name == added.Name })
			constraints = append(constraints, added)
		}
		maps.Copy(validation, o.Validation)
	}
	for name, c := range components {
		filled, err := s.fillIn(c)
		if err != nil {
			return nil, nil, nil, err
		}
		components[name] = filled
	}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		for _, dependency := range components[name].DependencyRefs {
			if _, ok := components[dependency]; !ok {
				return nil, nil, nil, failWith(invalid, "merged recipe validation failed",
					fail(invalid, "component %q references unknown dependency %q", name, dependency))
			}
		}
	}
	return components, constraints, validation, nil
}

func mergeComponent(base, over component) component {
	first := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	return component{
		Name: over.Name, Type: first(over.Type, base.Type), Namespace: first(over.Namespace, base.Namespace),
		Chart: first(over.Chart, base.Chart), Version: first(over.Version, base.Version),
		Source: first(over.Source, base.Source), ValuesFile: first(over.ValuesFile, base.ValuesFile),
		Overrides:        mergeValues(base.Overrides, over.Overrides),
		DependencyRefs:   union(base.DependencyRefs, over.DependencyRefs),
		ManifestFiles:    union(base.ManifestFiles, over.ManifestFiles),
		PreManifestFiles: union(base.PreManifestFiles, over.PreManifestFiles),
	}
}

func (s *store) fillIn(c component) (component, error) {
	c.Type = "Helm"
	entry, ok := s.registry[c.Name]
	if !ok {
		return c, nil
	}
	helm := component{Chart: entry.Helm.DefaultChart, Version: entry.Helm.DefaultVersion,
		Source: entry.Helm.DefaultRepository, Namespace: entry.Helm.DefaultNamespace}
	c = mergeComponent(helm, c)
	if len(c.ManifestFiles) == 0 {
		c.ManifestFiles = entry.ManifestFiles
	}
	if c.Source != carriedSource {
		return c, nil
	}
	var err error
	c.HealthCheckAsserts, err = healthCheck(c.Name, c.Namespace)
	return c, err
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, value := range b {
		if !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	return out
}

// mergeValues lays b over a, object by object; neither is changed.
func mergeValues(a, b map[string]any) map[string]any {
	if a == nil && b == nil {
		return nil
	}
	out := maps.Clone(a)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range b {
		inner, isMap := value.(map[string]any)
		below, both := out[key].(map[string]any)
		if isMap && both {
			out[key] = mergeValues(below, inner)
		} else {
			out[key] = value
		}
	}
	return out
}

// deploymentOrder sorts the enabled components so that each stands behind what it depends on.
func deploymentOrder(components map[string]component) ([]string, error) {
	var order []string
	visiting := map[string]bool{}
	var visit func(name string) error
	visit = func(name string) error {
		c := components[name]
		if !c.enabled() || slices.Contains(order, name) {
			return nil
		}
		if visiting[name] {
			return fail(invalid, "component %q depends on itself", name)
		}
		visiting[name] = true
		for _, dependency := range slices.Sorted(slices.Values(c.DependencyRefs)) {
			if err := visit(dependency); err != nil {
				return err
			}
		}
		order = append(order, name)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		if err := visit(name); err != nil {
			return nil, err
		}
	}
	return order, nil
}
