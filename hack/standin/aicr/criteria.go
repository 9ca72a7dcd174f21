package main

import (
	"fmt"
	"slices"
	"strings"
)

// dimensions are the five criteria, in the order in which upstream names them.
var dimensions = []string{"service", "accelerator", "intent", "os", "platform"}

// criteria holds the stated dimensions only; `any` is not stated.
type criteria map[string]string

func (c criteria) String() string {
	var parts []string
	for _, dimension := range dimensions {
		if value, ok := c[dimension]; ok {
			parts = append(parts, dimension+"="+value)
		}
	}
	return "criteria(" + strings.Join(parts, ", ") + ")"
}

// stated drops empty values and `any`.
func stated(values map[string]string) criteria {
	c := criteria{}
	for _, dimension := range dimensions {
		if value := values[dimension]; value != "" && value != "any" {
			c[dimension] = value
		}
	}
	return c
}

// known are values that need no overlay of their own.
func known(dimension string) []string {
	switch dimension {
	case "service":
		values := []string{"eks", "gke", "aks", "oke", "ocp", "kind", "lke", "bcm", "metal3"}
		if atLeast("0.22.0") {
			values = append(values, "rke2", "k0s", "generic")
		}
		return values
	case "accelerator":
		return []string{"h100", "h200", "gb200", "gb300", "b200", "a100", "l40", "l40s", "rtx-pro-6000"}
	case "intent":
		return []string{"training", "inference"}
	case "os":
		return []string{"ubuntu", "rhel", "cos", "amazonlinux", "ol", "talos"}
	}
	return []string{"dynamo", "kubeflow", "nim", "runai", "slurm", "kueue"}
}

// aliases of the service that upstream maps to generic.
var genericAliases = []string{"self-managed", "self", "vanilla"}

// parseCriteria checks the values that were asked for; a value that an overlay of the pack declares is known.
func parseCriteria(asked map[string]string, s *store) (criteria, error) {
	for _, dimension := range dimensions {
		value := asked[dimension]
		if dimension == "service" && atLeast("0.22.0") && slices.Contains(genericAliases, value) {
			asked[dimension] = "generic"
			continue
		}
		if value == "" || value == "any" || slices.Contains(known(dimension), value) || s.declares(dimension, value) {
			continue
		}
		return nil, failWith(invalid, "error parsing criteria",
			fail(invalid, "invalid %s type: %s", dimension, value))
	}
	c := stated(asked)
	if len(c) == 0 {
		return nil, fail(invalid, "no criteria provided: specify at least one of %s",
			strings.Join([]string{"--service", "--accelerator", "--intent", "--os", "--platform"}, ", "))
	}
	return c, nil
}

// written is how a recipe states its criteria: every dimension, `any` where none was asked for.
func (c criteria) written() map[string]string {
	out := map[string]string{}
	for _, dimension := range dimensions {
		out[dimension] = "any"
		if value, ok := c[dimension]; ok {
			out[dimension] = value
		}
	}
	return out
}

// tuple renders an addition to a query, `service=gke, os=cos`.
func tuple(addition criteria) string {
	return strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(addition), "criteria("), ")")
}
