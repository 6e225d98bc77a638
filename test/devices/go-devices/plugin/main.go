// A device plugin as people write them in Go: the public kubelet API module and gRPC, nothing else. It waits in plugins_registry to be found.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc"
	v1beta1 "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type plugin struct {
	v1beta1.UnimplementedDevicePluginServer
	registration.UnimplementedRegistrationServer
}

func (plugin) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{Type: "DevicePlugin", Name: "example.com/found", SupportedVersions: []string{"v1beta1"}}, nil
}

func (plugin) NotifyRegistrationStatus(_ context.Context, s *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	log.Printf("registered: %v %s", s.PluginRegistered, s.Error)
	return &registration.RegistrationStatusResponse{}, nil
}

func (plugin) GetDevicePluginOptions(context.Context, *v1beta1.Empty) (*v1beta1.DevicePluginOptions, error) {
	return &v1beta1.DevicePluginOptions{GetPreferredAllocationAvailable: true}, nil
}

func (plugin) ListAndWatch(_ *v1beta1.Empty, stream v1beta1.DevicePlugin_ListAndWatchServer) error {
	near := &v1beta1.TopologyInfo{Nodes: []*v1beta1.NUMANode{{ID: 1}}}
	devices := []*v1beta1.Device{{ID: "x", Health: "Healthy"}, {ID: "y", Health: "Healthy", Topology: near}, {ID: "z", Health: "Unhealthy"}}
	if err := stream.Send(&v1beta1.ListAndWatchResponse{Devices: devices}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (plugin) GetPreferredAllocation(_ context.Context, r *v1beta1.PreferredAllocationRequest) (*v1beta1.PreferredAllocationResponse, error) {
	return &v1beta1.PreferredAllocationResponse{ContainerResponses: []*v1beta1.ContainerPreferredAllocationResponse{{DeviceIDs: []string{"y"}}}}, nil
}

func (plugin) Allocate(_ context.Context, r *v1beta1.AllocateRequest) (*v1beta1.AllocateResponse, error) {
	answer := &v1beta1.AllocateResponse{}
	for _, c := range r.ContainerRequests {
		given := strings.Join(c.DevicesIds, ",")
		answer.ContainerResponses = append(answer.ContainerResponses, &v1beta1.ContainerAllocateResponse{Envs: map[string]string{"FOUND": given}})
	}
	return answer, nil
}

func main() {
	socket := filepath.Join(os.Args[1], "found.sock")
	os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	v1beta1.RegisterDevicePluginServer(server, plugin{})
	registration.RegisterRegistrationServer(server, plugin{})
	log.Fatal(server.Serve(listener))
}
