package main

import (
	"reflect"
	"regexp"
	"text/template"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// rereads finds what a template reads again and again, such as its complete values: `$v := include "x" . | fromJson`.
var rereads = regexp.MustCompile(`\{\{(-?) (\$\w+) := include ("[^"]+") (\.|\$) \| fromJson (-?)\}\}`)

// once makes the templates of a chart read such things once in a render. It makes a render several times as fast;
// what templates are only executed for, to see whether anything differs, can be had this way.
func once(ours *chart.Chart) {
	const remembering = `{{$1 $2 := dict }}{{ if known $3 $4 }}{{ $2 = recall $3 $4 }}{{ else }}` +
		`{{ $2 = remember $3 $4 (include $3 $4 | fromJson) }}{{ end $5}}`
	files := make([]*common.File, 0, len(ours.Templates))
	for _, file := range ours.Templates {
		changed := *file
		changed.Data = rereads.ReplaceAll(file.Data, []byte(remembering))
		files = append(files, &changed)
	}
	ours.Templates = files
	for _, dependency := range ours.Dependencies() {
		once(dependency)
	}
}

// place is a define with the context that it was included with.
type place struct {
	name    string
	context uintptr
}

// memory has the functions that `once` puts into templates, for one render. Each reader gets a copy of its own.
func memory() template.FuncMap {
	seen := map[place]map[string]any{}
	at := func(name string, context any) place {
		return place{name, reflect.ValueOf(context).Pointer()}
	}
	return template.FuncMap{
		"known": func(name string, context any) bool {
			_, ok := seen[at(name, context)]
			return ok
		},
		"recall": func(name string, context any) any { return deepCopy(seen[at(name, context)]) },
		"remember": func(name string, context any, value map[string]any) any {
			seen[at(name, context)] = value
			return deepCopy(value)
		},
	}
}
