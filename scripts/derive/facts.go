// Command facts reads Kubernetes' Go type declarations and writes the table of facts under src/resources/facts: Go names and types,
// field order, protobuf numbers, strategic-merge and list-map keys, enumerations and defaults. It writes no documentation.
//
// Developers run it when the Kubernetes version changes; see README.md beside it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
)

const version = "v0.36.0"

// source is one Go package of types. Its id names the file and prefixes references from other packages.
type source struct{ id, module, dir, openapi, group, version string }

var sources = []source{
	{"admission_v1", "k8s.io/api", "admission/v1", "io.k8s.api.admission.v1", "admission.k8s.io", "v1"},
	{"admissionregistration_v1", "k8s.io/api", "admissionregistration/v1", "io.k8s.api.admissionregistration.v1", "admissionregistration.k8s.io", "v1"},
	{"apidiscovery_v2", "k8s.io/api", "apidiscovery/v2", "io.k8s.api.apidiscovery.v2", "apidiscovery.k8s.io", "v2"},
	{"apiextensions_v1", "k8s.io/apiextensions-apiserver", "pkg/apis/apiextensions/v1", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1", "apiextensions.k8s.io", "v1"},
	{"apiregistration_v1", "k8s.io/kube-aggregator", "pkg/apis/apiregistration/v1", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1", "apiregistration.k8s.io", "v1"},
	{"apps_v1", "k8s.io/api", "apps/v1", "io.k8s.api.apps.v1", "apps", "v1"},
	{"authentication_v1", "k8s.io/api", "authentication/v1", "io.k8s.api.authentication.v1", "authentication.k8s.io", "v1"},
	{"authorization_v1", "k8s.io/api", "authorization/v1", "io.k8s.api.authorization.v1", "authorization.k8s.io", "v1"},
	{"autoscaling_v1", "k8s.io/api", "autoscaling/v1", "io.k8s.api.autoscaling.v1", "autoscaling", "v1"},
	{"autoscaling_v2", "k8s.io/api", "autoscaling/v2", "io.k8s.api.autoscaling.v2", "autoscaling", "v2"},
	{"batch_v1", "k8s.io/api", "batch/v1", "io.k8s.api.batch.v1", "batch", "v1"},
	{"certificates_v1", "k8s.io/api", "certificates/v1", "io.k8s.api.certificates.v1", "certificates.k8s.io", "v1"},
	{"certificates_v1beta1", "k8s.io/api", "certificates/v1beta1", "io.k8s.api.certificates.v1beta1", "certificates.k8s.io", "v1beta1"},
	{"coordination_v1", "k8s.io/api", "coordination/v1", "io.k8s.api.coordination.v1", "coordination.k8s.io", "v1"},
	{"core_v1", "k8s.io/api", "core/v1", "io.k8s.api.core.v1", "", "v1"},
	{"discovery_v1", "k8s.io/api", "discovery/v1", "io.k8s.api.discovery.v1", "discovery.k8s.io", "v1"},
	{"events_v1", "k8s.io/api", "events/v1", "io.k8s.api.events.v1", "events.k8s.io", "v1"},
	{"flowcontrol_v1", "k8s.io/api", "flowcontrol/v1", "io.k8s.api.flowcontrol.v1", "flowcontrol.apiserver.k8s.io", "v1"},
	{"networking_v1", "k8s.io/api", "networking/v1", "io.k8s.api.networking.v1", "networking.k8s.io", "v1"},
	{"node_v1", "k8s.io/api", "node/v1", "io.k8s.api.node.v1", "node.k8s.io", "v1"},
	{"policy_v1", "k8s.io/api", "policy/v1", "io.k8s.api.policy.v1", "policy", "v1"},
	{"rbac_v1", "k8s.io/api", "rbac/v1", "io.k8s.api.rbac.v1", "rbac.authorization.k8s.io", "v1"},
	{"resource_v1", "k8s.io/api", "resource/v1", "io.k8s.api.resource.v1", "resource.k8s.io", "v1"},
	{"scheduling_v1", "k8s.io/api", "scheduling/v1", "io.k8s.api.scheduling.v1", "scheduling.k8s.io", "v1"},
	{"scheduling_v1alpha2", "k8s.io/api", "scheduling/v1alpha2", "io.k8s.api.scheduling.v1alpha2", "scheduling.k8s.io", "v1alpha2"},
	{"storage_v1", "k8s.io/api", "storage/v1", "io.k8s.api.storage.v1", "storage.k8s.io", "v1"},
	{"meta_v1", "k8s.io/apimachinery", "pkg/apis/meta/v1", "io.k8s.apimachinery.pkg.apis.meta.v1", "meta.k8s.io", "v1"},
	{"quantity", "k8s.io/apimachinery", "pkg/api/resource", "io.k8s.apimachinery.pkg.api.resource", "", ""},
	{"runtime", "k8s.io/apimachinery", "pkg/runtime", "io.k8s.apimachinery.pkg.runtime", "", ""},
	{"intstr", "k8s.io/apimachinery", "pkg/util/intstr", "io.k8s.apimachinery.pkg.util.intstr", "", ""},
	{"types", "k8s.io/apimachinery", "pkg/types", "io.k8s.apimachinery.pkg.types", "", ""},
	{"version", "k8s.io/apimachinery", "pkg/version", "io.k8s.apimachinery.pkg.version", "", ""},
}

// The kinds of a package of which not all are served. A kind of it that is not listed is left out, and so is its list.
var only = map[string][]string{"certificates_v1beta1": {"ClusterTrustBundle"}, "scheduling_v1alpha2": {"PodGroup"}}

// Types with decoders of their own: their shape is written in our code (machinery/schema), not derived.
var opaque = map[string]bool{
	"meta_v1.Time": true, "meta_v1.MicroTime": true, "meta_v1.Duration": true, "meta_v1.FieldsV1": true, "quantity.Quantity": true,
	"runtime.RawExtension": true, "runtime.Object": true, "intstr.IntOrString": true, "apiextensions_v1.JSON": true,
	"apiextensions_v1.JSONSchemaPropsOrBool": true, "apiextensions_v1.JSONSchemaPropsOrArray": true,
	"apiextensions_v1.JSONSchemaPropsOrStringArray": true,
}

// pkg is one parsed package: its Go name, the declared types and the constants of each named type.
type pkg struct {
	source
	name   string
	types  map[string]*decl
	consts map[string][]string
	values map[string]string
	// foreign are constants that other packages define: import path and name.
	foreign map[string][][2]string
	kinds   []string
}

type decl struct {
	spec    *ast.TypeSpec
	doc     []string
	imports map[string]string
	order   int
}

// field is one line of the table.
type field struct{ name, facts string }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: facts FOLDER")
		os.Exit(2)
	}
	packages, byPath := map[string]*pkg{}, map[string]string{}
	for _, s := range sources {
		byPath[s.module+"/"+s.dir] = s.id
		packages[s.id] = parse(s)
	}
	for _, p := range packages {
		for named, all := range p.foreign {
			for _, ref := range all {
				if other := packages[byPath[ref[0]]]; other != nil {
					p.consts[named] = append(p.consts[named], other.values[ref[1]])
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, s := range sources {
		p := packages[s.id]
		for _, kind := range p.kinds {
			visit(packages, byPath, seen, s.id, kind)
		}
		if s.id == "meta_v1" {
			for _, kind := range []string{"Status", "APIGroupList", "APIResourceList", "APIVersions", "WatchEvent", "DeleteOptions", "ListOptions", "Table", "PartialObjectMetadataList"} {
				visit(packages, byPath, seen, s.id, kind)
			}
		}
		if s.id == "version" {
			visit(packages, byPath, seen, s.id, "Info")
		}
	}
	for _, s := range sources {
		write(os.Args[1], packages[s.id], byPath, seen)
	}
}

func moduleDir(module string) string {
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
	check(err)
	var info struct{ Dir string }
	check(json.Unmarshal(out, &info))
	return info.Dir
}

func parse(s source) *pkg {
	p := &pkg{source: s, types: map[string]*decl{}, consts: map[string][]string{}, values: map[string]string{}, foreign: map[string][][2]string{}}
	set := token.NewFileSet()
	skip := func(i fs.FileInfo) bool { return !strings.HasSuffix(i.Name(), "_test.go") }
	parsed, err := parser.ParseDir(set, filepath.Join(moduleDir(s.module), s.dir), skip, parser.ParseComments)
	check(err)
	for name, one := range parsed {
		p.name = name
		files := []string{}
		for f := range one.Files {
			files = append(files, f)
		}
		sort.Strings(files)
		for _, f := range files {
			readFile(p, one.Files[f])
		}
	}
	return p
}

func readFile(p *pkg, f *ast.File) {
	imports := map[string]string{}
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		name := filepath.Base(path)
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = path
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					doc := append(markers(d.Doc), markers(spec.Doc)...)
					doc = append(doc, detached(f, d)...)
					p.types[spec.Name.Name] = &decl{spec, doc, imports, len(p.types)}
				case *ast.ValueSpec:
					readConst(p, d.Tok, spec, imports)
				}
			}
		case *ast.FuncDecl:
			ast.Inspect(d, func(n ast.Node) bool { registered(p, n); return true })
		}
	}
}

// detached finds markers in a comment that an empty line separates from its type.
func detached(f *ast.File, d *ast.GenDecl) []string {
	start := d.Pos()
	if d.Doc != nil {
		start = d.Doc.Pos()
	}
	for _, c := range f.Comments {
		if c.End() < start && start-c.End() <= 3 {
			return markers(c)
		}
	}
	return nil
}

func readConst(p *pkg, tok token.Token, spec *ast.ValueSpec, imports map[string]string) {
	if tok != token.CONST {
		return
	}
	for i, v := range spec.Values {
		named, _ := spec.Type.(*ast.Ident)
		if call, ok := v.(*ast.CallExpr); ok && len(call.Args) == 1 {
			named, _ = call.Fun.(*ast.Ident)
			v = call.Args[0]
		}
		if named == nil {
			continue
		}
		if other, ok := v.(*ast.SelectorExpr); ok {
			p.foreign[named.Name] = append(p.foreign[named.Name], [2]string{imports[other.X.(*ast.Ident).Name], other.Sel.Name})
		}
		if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			p.values[spec.Names[i].Name] = text
			p.consts[named.Name] = append(p.consts[named.Name], text)
		}
	}
}

// registered collects the kinds of AddKnownTypes(SchemeGroupVersion, &Pod{}, …).
func registered(p *pkg, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "AddKnownTypes" || p.group == "meta.k8s.io" {
		return
	}
	for _, a := range call.Args {
		if u, ok := a.(*ast.UnaryExpr); ok {
			if lit, ok := u.X.(*ast.CompositeLit); ok {
				if id, ok := lit.Type.(*ast.Ident); ok && isServed(p.id, id.Name) {
					p.kinds = append(p.kinds, id.Name)
				}
			}
		}
	}
}

func isServed(id, name string) bool {
	served := only[id]
	return served == nil || slices.Contains(served, strings.TrimSuffix(name, "List"))
}

func markers(c *ast.CommentGroup) []string {
	if c == nil {
		return nil
	}
	out := []string{}
	for _, line := range c.List {
		text := strings.TrimSpace(strings.TrimPrefix(line.Text, "//"))
		if strings.HasPrefix(text, "+") {
			out = append(out, text[1:])
		}
	}
	return out
}

func visit(packages map[string]*pkg, byPath map[string]string, seen map[string]bool, id, name string) {
	if seen[id+"."+name] {
		return
	}
	d := packages[id].types[name]
	if d == nil {
		fmt.Fprintln(os.Stderr, "no type", id, name)
		return
	}
	seen[id+"."+name] = true
	if opaque[id+"."+name] {
		return
	}
	follow := func(ref string) {
		ref = strings.TrimLeft(ref, "*[]")
		for strings.HasPrefix(ref, "map[") {
			key, value, _ := strings.Cut(ref[4:], "]")
			visitRef(packages, byPath, seen, id, key)
			ref = strings.TrimLeft(value, "*[]")
		}
		visitRef(packages, byPath, seen, id, ref)
	}
	if st, ok := d.spec.Type.(*ast.StructType); ok {
		for _, f := range st.Fields.List {
			if jsonTag(f) != "-" {
				follow(typeText(d, byPath, id, f.Type))
			}
		}
	} else {
		follow(typeText(d, byPath, id, d.spec.Type))
	}
}

func visitRef(packages map[string]*pkg, byPath map[string]string, seen map[string]bool, id, ref string) {
	if before, after, ok := strings.Cut(ref, "."); ok {
		visit(packages, byPath, seen, before, after)
	} else if packages[id].types[ref] != nil {
		visit(packages, byPath, seen, id, ref)
	}
}

// typeText writes a type as Go does, other packages by their id.
func typeText(d *decl, byPath map[string]string, id string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeText(d, byPath, id, e.X)
	case *ast.ArrayType:
		return "[]" + typeText(d, byPath, id, e.Elt)
	case *ast.MapType:
		return "map[" + typeText(d, byPath, id, e.Key) + "]" + typeText(d, byPath, id, e.Value)
	case *ast.InterfaceType:
		return "any"
	case *ast.SelectorExpr:
		path := d.imports[e.X.(*ast.Ident).Name]
		other, ok := byPath[path]
		if !ok {
			panic("a type of an unlisted package: " + path + " " + e.Sel.Name)
		}
		return other + "." + e.Sel.Name
	}
	panic(fmt.Sprintf("a type that the table cannot say: %T", e))
}

func jsonTag(f *ast.Field) string {
	if f.Tag == nil {
		return "-"
	}
	return reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
}

func describe(d *decl, byPath map[string]string, p *pkg, f *ast.Field) field {
	tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
	name, options, _ := strings.Cut(tag.Get("json"), ",")
	number := "0"
	if proto := strings.Split(tag.Get("protobuf"), ","); len(proto) > 1 {
		number = proto[1]
	}
	words := []string{number, typeText(d, byPath, p.id, f.Type)}
	if name == "" && len(f.Names) == 0 {
		words = append(words, "inline")
		name = "(" + strings.TrimPrefix(words[1], "*") + ")"
	}
	omit := false
	for _, o := range strings.Split(options, ",") {
		if o == "omitempty" || o == "omitzero" {
			omit = true
			words = append(words, o)
		}
	}
	if s := tag.Get("patchStrategy"); s != "" {
		words = append(words, "patch="+s)
	}
	if s := tag.Get("patchMergeKey"); s != "" {
		words = append(words, "key="+s)
	}
	words = append(words, markerWords(p, markers(f.Doc), omit)...)
	return field{name, strings.Join(words, " ")}
}

// markerWords turns the markers that OpenAPI repeats into words: `optional` and `required` only where the JSON tag does not already say so.
func markerWords(p *pkg, all []string, omit bool) []string {
	words, keys := []string{}, []string{}
	has := map[string]bool{}
	for _, m := range all {
		name, value, _ := strings.Cut(m, "=")
		if has[m] {
			continue
		}
		has[m] = true
		switch strings.TrimSpace(name) {
		case "optional", "required":
			if omit == (name == "required") {
				words = append(words, name)
			}
		case "listType", "mapType", "structType":
			words = append(words, name+"="+value)
		case "listMapKey":
			keys = append(keys, value)
		case "default":
			if ref := strings.TrimSuffix(strings.TrimPrefix(value, "ref("), ")"); ref != value {
				value = strconv.Quote(p.values[ref])
			}
			words = append(words, "default="+strings.ReplaceAll(value, " ", ""))
		case "unionDiscriminator":
			words = append(words, name)
		}
	}
	if len(keys) > 0 {
		words = append(words, "listMapKeys="+strings.Join(keys, ","))
	}
	return words
}

func write(folder string, p *pkg, byPath map[string]string, seen map[string]bool) {
	names := []string{}
	for n := range p.types {
		if seen[p.id+"."+n] {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return
	}
	sort.Strings(names)
	structs, named := [][]byte{}, [][]byte{}
	for _, n := range names {
		d := p.types[n]
		st, ok := d.spec.Type.(*ast.StructType)
		switch {
		case opaque[p.id+"."+n]:
		case ok:
			structs = append(structs, structLines(p, byPath, n, d, st))
		default:
			named = append(named, line(n, namedText(p, byPath, n, d)))
		}
	}
	if len(structs)+len(named) == 0 {
		return
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n \"source\": %q,\n \"package\": %q,\n \"openapi\": %q,\n \"group\": %q,\n \"version\": %q,\n", p.module+"/"+p.dir+"@"+version, p.name, p.openapi, p.group, p.version)
	list, _ := json.Marshal(append([]string{}, p.kinds...))
	fmt.Fprintf(&b, " \"kinds\": %s,\n", list)
	fmt.Fprintf(&b, " \"named\": {\n%s\n },\n", bytes.Join(named, []byte(",\n")))
	fmt.Fprintf(&b, " \"structs\": {\n%s\n }\n}\n", bytes.Join(structs, []byte(",\n")))
	check(os.WriteFile(filepath.Join(folder, p.id+".json"), b.Bytes(), 0o644))
}

func namedText(p *pkg, byPath map[string]string, name string, d *decl) string {
	words := []string{typeText(d, byPath, p.id, d.spec.Type)}
	for _, m := range d.doc {
		if m == "enum" {
			values := append([]string{}, p.consts[name]...)
			sort.Strings(values)
			list, _ := json.Marshal(values)
			words = append(words, "enum="+strings.ReplaceAll(string(list), " ", "\\u0020"))
		}
		if m == "protobuf.nullable=true" {
			words = append(words, "wrapped")
		}
		if strings.HasPrefix(m, "structType=") || strings.HasPrefix(m, "mapType=") || strings.HasPrefix(m, "listType=") {
			words = append(words, m)
		}
	}
	return strings.Join(words, " ")
}

func structLines(p *pkg, byPath map[string]string, name string, d *decl, st *ast.StructType) []byte {
	lines := [][]byte{}
	about := []string{}
	for _, m := range d.doc {
		if strings.HasPrefix(m, "structType=") || strings.HasPrefix(m, "mapType=") || m == "union" {
			about = append(about, m)
		}
	}
	if len(about) > 0 {
		lines = append(lines, line("", strings.Join(about, " ")))
	}
	for _, f := range st.Fields.List {
		if jsonTag(f) == "-" || jsonTag(f) == "" {
			continue
		}
		one := describe(d, byPath, p, f)
		lines = append(lines, line(one.name, one.facts))
	}
	head, _ := json.Marshal(name)
	return []byte(fmt.Sprintf("  %s: {\n%s\n  }", head, bytes.Join(lines, []byte(",\n"))))
}

func line(name, facts string) []byte {
	n, _ := json.Marshal(name)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	check(e.Encode(facts))
	return []byte(fmt.Sprintf("   %s: %s", n, bytes.TrimSpace(b.Bytes())))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
