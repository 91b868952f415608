// Prints the fields of the types of Kubernetes' API, as reflection sees them, for kube_apiserver/data/fields.json.gz.
//
// Put into a folder of cmd/ in a tree that has k8s.io/kubernetes vendored:
//
//	go run ./cmd/fields < kube_apiserver/data/resources.json | gzip -9n > kube_apiserver/data/fields.json.gz
//
// {type: its fields, or what it is made of}; a field: name, type, what becomes of an empty one, embedded in what.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	aggregation "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
)

var (
	found = map[string]any{}
	reads = reflect.TypeOf((*json.Unmarshaler)(nil)).Elem()
)

func name(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	domain := strings.Split(parts[0], ".")
	for i, j := 0, len(domain)-1; i < j; i, j = i+1, j-1 {
		domain[i], domain[j] = domain[j], domain[i]
	}
	return strings.Join(append(domain, parts[1:]...), ".") + "." + t.Name()
}

func told(t reflect.Type) string {
	if t.Name() != "" && t.PkgPath() == "" {
		return t.Name()
	}
	if t.Name() != "" {
		add(t)
		return name(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + told(t.Elem())
	case reflect.Slice:
		return "[]" + told(t.Elem())
	case reflect.Map:
		return "map[" + told(t.Key()) + "]" + told(t.Elem())
	}
	return t.String()
}

func add(t reflect.Type) {
	if _, known := found[name(t)]; known {
		return
	}
	found[name(t)] = ""
	switch {
	case reflect.PointerTo(t).Implements(reads):
		found[name(t)] = "json"
	case t.Kind() == reflect.Struct:
		found[name(t)] = fields(t, "")
	case t.Kind() == reflect.Slice:
		found[name(t)] = "[]" + told(t.Elem())
	case t.Kind() == reflect.Map:
		found[name(t)] = "map[" + told(t.Key()) + "]" + told(t.Elem())
	default:
		found[name(t)] = t.Kind().String()
	}
}

func fields(t reflect.Type, within string) [][]string {
	rows := [][]string{}
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		tag := strings.Split(field.Tag.Get("json"), ",")
		if tag[0] == "-" {
			continue
		}
		if tag[0] == "" && field.Anonymous {
			inner := field.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			rows = append(rows, fields(inner, within+field.Name+".")...)
			continue
		}
		if tag[0] == "" {
			tag[0] = field.Name
		}
		row := []string{tag[0], told(field.Type), "", within}
		for _, option := range tag[1:] {
			if option == "omitempty" {
				row[2] += "e"
			}
			if option == "omitzero" {
				row[2] += "z"
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func main() {
	var served struct{ Resources []struct{ Group, Version, Kind string } }
	if err := json.NewDecoder(os.Stdin).Decode(&served); err != nil {
		panic(err)
	}
	groups := map[schema.GroupVersion]bool{}
	for _, each := range served.Resources {
		groups[schema.GroupVersion{Group: each.Group, Version: each.Version}] = true
	}
	for group := range groups {
		for kind, t := range legacyscheme.Scheme.KnownTypes(group) {
			if !strings.HasSuffix(kind, "List") && !strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/") {
				told(t)
			}
		}
	}
	told(reflect.TypeOf(apiextensions.CustomResourceDefinition{}))
	told(reflect.TypeOf(aggregation.APIService{}))
	told(reflect.TypeOf(meta.DeleteOptions{}))
	json.NewEncoder(os.Stdout).Encode(found)
}
