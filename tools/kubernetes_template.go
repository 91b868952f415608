// Prints the types that a pod template is made of, as reflection sees them, for kube_controllers/data/template.py.
//
// Put into a folder of cmd/ in a tree that has k8s.io/kubernetes vendored:
//
//	go run ./cmd/template > kube_controllers/data/template.py
package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	core "k8s.io/api/core/v1"
)

const head = `"""The types of a pod template in Kubernetes v1.36.2, written by tools/kubernetes_template.go.

{type: its fields, or what it is made of; "" for what is written by hand}. A field: its name in Go, its type, its name in
JSON, "" for one whose own fields stand among the others.
"""

TYPES: dict[str, str | list[list[str]]] = {`

var (
	found = map[string]any{}
	types = map[string]reflect.Type{}
)

func add(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		if t.Name() == "" {
			add(t.Elem())
			return
		}
	case reflect.Map:
		if t.Name() == "" {
			add(t.Key())
			add(t.Elem())
			return
		}
	}
	if t.PkgPath() == "" {
		return
	}
	name := t.String()
	if known, there := types[name]; there {
		if known != t {
			panic(fmt.Sprint(known, " and ", t, " have one name"))
		}
		return
	}
	types[name] = t
	switch {
	case name == "resource.Quantity" || name == "v1.Time" || name == "v1.FieldsV1" || name == "intstr.IntOrString":
		found[name] = "" // written by hand
	case t.Kind() == reflect.Struct:
		rows := [][]string{}
		for i := 0; i < t.NumField(); i++ {
			field := t.Field(i)
			rows = append(rows, []string{field.Name, field.Type.String(), strings.Split(field.Tag.Get("json"), ",")[0]})
			add(field.Type)
		}
		found[name] = rows
	case t.Kind() == reflect.Map:
		found[name] = "map[" + t.Key().String() + "]" + t.Elem().String()
		add(t.Key())
		add(t.Elem())
	case t.Kind() == reflect.Slice:
		found[name] = "[]" + t.Elem().String()
		add(t.Elem())
	default:
		found[name] = t.Kind().String()
	}
}

func main() {
	add(reflect.TypeOf(core.PodTemplateSpec{}))
	names := []string{}
	for name := range found {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Println(head)
	for _, name := range names {
		row, _ := json.Marshal(found[name])
		fmt.Printf("    %q: %s,\n", name, row)
	}
	fmt.Println("}")
}
