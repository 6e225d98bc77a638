// controller-runtime's envtest with the programs of KUBEBUILDER_ASSETS: two control planes side by side, a definition, a user, a restart.
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var ctx = context.Background()

func must(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func clientOf(config *rest.Config) client.Client {
	c, err := client.New(config, client.Options{})
	must(err)
	return c
}

func yes() *bool { t := true; return &t }

func definition() *apiextensionsv1.CustomResourceDefinition {
	schema := &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: yes()}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "boats.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "boats", Kind: "Boat"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema}}},
		},
	}
}

func main() {
	env := &envtest.Environment{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition()}}
	config, err := env.Start()
	must(err)
	other := &envtest.Environment{}
	otherConfig, err := other.Start()
	must(err)
	fmt.Println("ok start")

	boat := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Boat",
		"metadata": map[string]any{"name": "a", "namespace": "default"}}}
	must(clientOf(config).Create(ctx, boat))
	fmt.Println("ok definition")

	name := client.ObjectKey{Namespace: "default", Name: "only-here"}
	must(clientOf(config).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name.Name, Namespace: name.Namespace}}))
	if err := clientOf(otherConfig).Get(ctx, name, &corev1.ConfigMap{}); !apierrors.IsNotFound(err) {
		must(fmt.Errorf("the other control plane has it too: %v", err))
	}
	fmt.Println("ok apart")

	user, err := env.AddUser(envtest.User{Name: "alice", Groups: []string{"sailors"}}, nil)
	must(err)
	if err := clientOf(user.Config()).Get(ctx, name, &corev1.ConfigMap{}); !apierrors.IsForbidden(err) {
		must(fmt.Errorf("alice may read: %v", err))
	}
	fmt.Println("ok user")

	server := env.ControlPlane.GetAPIServer()
	must(server.Stop())
	must(server.Start())
	// A start makes new certificates.
	again, err := env.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	must(err)
	must(clientOf(again.Config()).Get(ctx, name, &corev1.ConfigMap{}))
	fmt.Println("ok restart")

	must(env.Stop())
	must(other.Stop())
	fmt.Println("ok stop")
}
