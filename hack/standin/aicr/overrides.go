package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
)

// setting is one --set, --set-json or --set-file.
type setting struct {
	flag, component, path string
	value                 any
}

// overrides is what the flags of one bundle command change in the components' values.
type overrides struct {
	settings     []setting
	enabled      map[string]string // --set component:enabled=..., by component or alias
	storageClass string
	selectors    map[string]map[string]any // system and accelerated
	tolerations  map[string][]any
}

var settingPattern = regexp.MustCompile(`(?s)^([^:=]+):([^=]+)=(.*)$`)

func readOverrides(cmd *cli.Command) (*overrides, error) {
	o := &overrides{enabled: map[string]string{}, storageClass: cmd.String("storage-class"),
		selectors: map[string]map[string]any{}, tolerations: map[string][]any{}}
	// The typed ones come last: they beat --set.
	for _, name := range []string{"set", "set-file", "set-json"} {
		for _, argument := range cmd.StringSlice(name) {
			match := settingPattern.FindStringSubmatch(argument)
			if match == nil {
				return nil, failWith(invalid, "invalid --"+name,
					fail(invalid, "invalid format %q: expected 'component:path' or 'component:path=value'", argument))
			}
			if name == "set" && match[2] == "enabled" {
				o.enabled[match[1]] = match[3]
				continue
			}
			value, err := settingValue(name, match[3])
			if err != nil {
				return nil, failWith(invalid, "invalid --"+name+" "+argument, err)
			}
			o.settings = append(o.settings, setting{name, match[1], match[2], value})
		}
	}
	for _, group := range []string{"system", "accelerated"} {
		selector, err := parsePairs(group+"-node-selector", cmd.StringSlice(group+"-node-selector"))
		if err != nil {
			return nil, err
		}
		tolerations, err := parseTolerations(group+"-node-toleration", cmd.StringSlice(group+"-node-toleration"))
		if err != nil {
			return nil, err
		}
		o.selectors[group], o.tolerations[group] = selector, tolerations
	}
	if gate := cmd.String("workload-gate"); gate != "" {
		if _, err := parseTolerations("workload-gate", []string{gate}); err != nil {
			return nil, err
		}
	}
	_, err := parsePairs("workload-selector", cmd.StringSlice("workload-selector"))
	return o, err
}

func settingValue(name, text string) (any, error) {
	switch name {
	case "set-json":
		var value any
		err := json.Unmarshal([]byte(text), &value)
		return value, err
	case "set-file":
		data, err := os.ReadFile(text)
		if err != nil {
			return nil, err
		}
		var value any
		err = decode(data, &value)
		return value, err
	}
	if number, err := strconv.Atoi(text); err == nil {
		return number, nil
	}
	if text == "true" || text == "false" {
		return text == "true", nil
	}
	return text, nil
}

func parsePairs(name string, arguments []string) (map[string]any, error) {
	out := map[string]any{}
	for _, argument := range arguments {
		key, value, ok := strings.Cut(argument, "=")
		if !ok || key == "" {
			return nil, failWith(invalid, "invalid --"+name, fail(invalid, "invalid format %q, expected key=value", argument))
		}
		out[key] = value
	}
	return out, nil
}

var tolerationPattern = regexp.MustCompile(`^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$`)

func parseTolerations(name string, arguments []string) ([]any, error) {
	var out []any
	for _, argument := range arguments {
		match := tolerationPattern.FindStringSubmatch(argument)
		if match == nil {
			return nil, failWith(invalid, "invalid --"+name,
				fail(invalid, "invalid format %q, expected key=value:effect or key:effect", argument))
		}
		toleration := map[string]any{"key": match[1], "effect": match[3], "operator": "Exists"}
		if match[2] != "" {
			toleration["operator"], toleration["value"] = "Equal", match[2]
		}
		out = append(out, toleration)
	}
	return out, nil
}

// check refuses a setting that would change nothing.
func (o *overrides) check(b *bundle, byName map[string]component, disabledBy map[string]string) error {
	var declared []string
	for name := range byName {
		declared = append(declared, name)
	}
	slices.Sort(declared)
	all := slices.Clone(o.settings)
	for name := range o.enabled {
		all = append(all, setting{flag: "set", component: name, path: "enabled"})
	}
	slices.SortStableFunc(all, func(a, b setting) int { return strings.Compare(a.component, b.component) })
	for _, s := range all {
		name := b.canonical(s.component)
		if _, ok := byName[name]; !ok {
			return fail(invalid, "--%s %s:%s cannot take effect: unknown component %q; recipe declares: %s",
				s.flag, s.component, s.path, s.component, strings.Join(declared, ", "))
		}
		if reason, disabled := disabledBy[name]; disabled && s.path != "enabled" {
			return fail(invalid, "--%s %s:%s cannot take effect: component %q is not in the generated bundle because %s. "+
				"Drop the override, or keep the component in the bundle", s.flag, s.component, s.path, name, reason)
		}
	}
	return nil
}

// apply changes one component's values; entry is nil for a component that no registry knows.
func (o *overrides) apply(entry *registration, names []string, values map[string]any) map[string]any {
	if entry != nil {
		for group, place := range entry.NodeScheduling {
			for _, path := range place.NodeSelectorPaths {
				if len(o.selectors[group]) > 0 {
					values = setPath(values, path, o.selectors[group])
				}
			}
			for _, path := range place.TolerationPaths {
				if len(o.tolerations[group]) > 0 {
					values = setPath(values, path, o.tolerations[group])
				}
			}
		}
		for _, path := range entry.StorageClassPaths {
			if o.storageClass != "" {
				values = setPath(values, path, o.storageClass)
			}
		}
	}
	for _, s := range o.settings {
		if slices.Contains(names, s.component) {
			values = setPath(values, s.path, s.value)
		}
	}
	return values
}

// setPath lays a value at a dotted path over the others.
func setPath(values map[string]any, path string, value any) map[string]any {
	parts := strings.Split(path, ".")
	for i := len(parts) - 1; i > 0; i-- {
		value = map[string]any{parts[i]: value}
	}
	return mergeValues(values, map[string]any{parts[0]: value})
}

// lookUp reads a dotted path; nil when there is nothing.
func lookUp(values map[string]any, path string) any {
	var at any = values
	for part := range strings.SplitSeq(path, ".") {
		inner, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = inner[part]
	}
	return at
}
