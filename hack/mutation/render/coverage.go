package main

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// hits collects coverage markers. A marker is a call of `lookup`, the one function of a template that a program
// around Helm's engine can answer itself; like in a cluster without the object, the template sees an empty map.
type hits struct{ seen map[string]struct{} }

func newHits() *hits { return &hits{seen: map[string]struct{}{}} }

func (h *hits) names() []string {
	all := make([]string, 0, len(h.seen))
	for name := range h.seen {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// GetClientFor answers the engine of Helm 3; that of Helm 4 takes functions.
func (h *hits) GetClientFor(_, _ string) (dynamic.NamespaceableResourceInterface, bool, error) {
	return recorder{hits: h}, false, nil
}

// recorder notes the names that are looked up; of the interface only Get is ever called.
type recorder struct {
	dynamic.NamespaceableResourceInterface
	hits *hits
}

func (r recorder) Get(_ context.Context, name string, _ metav1.GetOptions, _ ...string) (*unstructured.Unstructured, error) {
	r.hits.seen[name] = struct{}{}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, name)
}
