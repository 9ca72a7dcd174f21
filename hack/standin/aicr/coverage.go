package main

import (
	"maps"
	"slices"
	"strings"
)

// checkCoverage refuses a query with a dimension that no applied overlay states, and one whose combination only
// an overlay with a stated os would cover.
func (s *store) checkCoverage(query criteria, applied []*overlay) error {
	var complaints []string
	for _, dimension := range dimensions {
		want, ok := query[dimension]
		if !ok || slices.ContainsFunc(applied, func(o *overlay) bool { return o.Criteria[dimension] == want }) {
			continue
		}
		complaints = append(complaints, complaint(query, dimension, want, s.completions(query, dimension, want)))
	}
	if len(complaints) > 0 {
		return fail(invalid, "%s", strings.Join(complaints, "; "))
	}
	return s.checkCombination(query, applied)
}

func (s *store) checkCombination(query criteria, applied []*overlay) error {
	whole := func(o *overlay) bool {
		for dimension, value := range query {
			if o.Criteria[dimension] != value {
				return false
			}
		}
		return true
	}
	if _, hasOS := query["os"]; hasOS || slices.ContainsFunc(applied, whole) {
		return nil
	}
	reached := map[string]bool{}
	for _, o := range s.overlays {
		system := o.Criteria["os"]
		if system == "" || system == "any" || slices.Contains(applied, o) {
			continue
		}
		probe := maps.Clone(query)
		probe["os"] = system
		if o.matches(probe) {
			reached[system] = true
		}
	}
	if len(reached) == 0 {
		return nil
	}
	return fail(invalid, "%s has no recipe covering that combination; specify os (valid: %s)", query,
		strings.Join(slices.Sorted(maps.Keys(reached)), ", "))
}

// completions are the smallest additions to the query that reach an overlay with this value.
func (s *store) completions(query criteria, dimension, want string) []criteria {
	var additions []criteria
	for _, o := range s.overlays {
		states := stated(o.Criteria)
		if states[dimension] != want {
			continue
		}
		addition := criteria{}
		fits := true
		for d, value := range states {
			asked, isAsked := query[d]
			switch {
			case !isAsked:
				addition[d] = value
			case asked != value:
				fits = false
			}
		}
		if fits {
			additions = append(additions, addition)
		}
	}
	smallest := slices.DeleteFunc(slices.Clone(additions), func(a criteria) bool {
		return slices.ContainsFunc(additions, func(b criteria) bool { return len(b) < len(a) && within(b, a) })
	})
	slices.SortFunc(smallest, func(a, b criteria) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(tuple(a), tuple(b))
	})
	return slices.CompactFunc(smallest, func(a, b criteria) bool { return maps.Equal(a, b) })
}

func within(small, large criteria) bool {
	for dimension, value := range small {
		if large[dimension] != value {
			return false
		}
	}
	return true
}

func complaint(query criteria, dimension, want string, completions []criteria) string {
	if len(completions) == 0 {
		return "no recipe provides " + dimension + " '" + want + "' for " + query.String()
	}
	if missing, values := oneDimension(completions); missing != "" {
		return dimension + " '" + want + "' for " + query.String() + " requires " + missing +
			" (valid: " + strings.Join(values, ", ") + ")"
	}
	var rendered []string
	for _, addition := range completions {
		rendered = append(rendered, "("+tuple(addition)+")")
	}
	return dimension + " '" + want + "' requires additional criteria; supported combinations: " +
		strings.Join(rendered, ", ")
}

// oneDimension names the dimension when every completion consists of that one.
func oneDimension(completions []criteria) (string, []string) {
	name := ""
	var values []string
	for _, addition := range completions {
		for dimension, value := range addition {
			if len(addition) != 1 || (name != "" && name != dimension) {
				return "", nil
			}
			name = dimension
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return name, values
}
