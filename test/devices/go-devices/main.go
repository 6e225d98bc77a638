// Asks the PodResources socket as monitoring agents do, with the public API module, and prints what it is told as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	v1 "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/kubelet/pkg/apis/podresources/v1alpha1"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := grpc.NewClient("unix://"+os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	client := v1.NewPodResourcesListerClient(conn)
	list, err := client.List(ctx, &v1.ListPodResourcesRequest{})
	check(err)
	allocatable, err := client.GetAllocatableResources(ctx, &v1.AllocatableResourcesRequest{})
	check(err)
	get, err := client.Get(ctx, &v1.GetPodResourcesRequest{PodName: os.Args[2], PodNamespace: "default"})
	check(err)
	_, missing := client.Get(ctx, &v1.GetPodResourcesRequest{PodName: "nope", PodNamespace: "default"})
	old, err := v1alpha1.NewPodResourcesListerClient(conn).List(ctx, &v1alpha1.ListPodResourcesRequest{})
	check(err)
	out := map[string]any{"list": list, "allocatable": allocatable, "get": get, "missing": fmt.Sprint(missing), "old": old}
	check(json.NewEncoder(os.Stdout).Encode(out))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
