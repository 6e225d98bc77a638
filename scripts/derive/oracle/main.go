// Command oracle is Kubernetes' own protobuf, for a test of ours: it reads lines of {"apiVersion", "kind", …} and answers each with
// the base64 of the message that Go writes; lines of {"decode": BASE64, "apiVersion", "kind"} with the JSON that Go reads.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func main() {
	must(apiextensions.AddToScheme(scheme.Scheme))
	must(apiregistration.AddToScheme(scheme.Scheme))
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var head struct{ APIVersion, Kind, Decode string }
		must(json.Unmarshal(in.Bytes(), &head))
		object, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(head.APIVersion, head.Kind))
		must(err)
		fmt.Println(answer(object, head.Decode, in.Bytes()))
	}
}

func answer(object runtime.Object, encoded string, line []byte) string {
	if encoded == "" {
		must(json.Unmarshal(line, object))
		bytes, err := object.(message).Marshal()
		must(err)
		return base64.StdEncoding.EncodeToString(bytes)
	}
	bytes, err := base64.StdEncoding.DecodeString(encoded)
	must(err)
	must(object.(message).Unmarshal(bytes))
	text, err := json.Marshal(object)
	must(err)
	return string(text)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
