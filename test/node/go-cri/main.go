// A container runtime that runs nothing: it remembers what a kubelet asks for, and writes down each container's configuration, a line of JSON each.
//
// test-cri SOCKET FILE
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

type fake struct {
	cri.UnimplementedRuntimeServiceServer
	cri.UnimplementedImageServiceServer
	mu         sync.Mutex
	next       int
	sandboxes  map[string]*cri.PodSandboxStatus
	containers map[string]*cri.ContainerStatus
	of         map[string]string
	out        *json.Encoder
}

func main() {
	socket, file := os.Args[1], os.Args[2]
	out, err := os.Create(file)
	if err != nil {
		panic(err)
	}
	f := &fake{sandboxes: map[string]*cri.PodSandboxStatus{}, containers: map[string]*cri.ContainerStatus{}, of: map[string]string{}, out: json.NewEncoder(out)}
	_ = os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer()
	cri.RegisterRuntimeServiceServer(server, f)
	cri.RegisterImageServiceServer(server, f)
	if err := server.Serve(listener); err != nil {
		panic(err)
	}
}

func (f *fake) id(kind string) string {
	f.next++
	return fmt.Sprintf("%s-%d", kind, f.next)
}

func (f *fake) Version(context.Context, *cri.VersionRequest) (*cri.VersionResponse, error) {
	return &cri.VersionResponse{Version: "0.1.0", RuntimeName: "test-cri", RuntimeVersion: "1.0.0", RuntimeApiVersion: "v1"}, nil
}

func (f *fake) Status(context.Context, *cri.StatusRequest) (*cri.StatusResponse, error) {
	ready := []*cri.RuntimeCondition{{Type: cri.RuntimeReady, Status: true}, {Type: cri.NetworkReady, Status: true}}
	return &cri.StatusResponse{Status: &cri.RuntimeStatus{Conditions: ready}}, nil
}

func (f *fake) RuntimeConfig(context.Context, *cri.RuntimeConfigRequest) (*cri.RuntimeConfigResponse, error) {
	return &cri.RuntimeConfigResponse{Linux: &cri.LinuxRuntimeConfiguration{CgroupDriver: cri.CgroupDriver_CGROUPFS}}, nil
}

func (f *fake) UpdateRuntimeConfig(context.Context, *cri.UpdateRuntimeConfigRequest) (*cri.UpdateRuntimeConfigResponse, error) {
	return &cri.UpdateRuntimeConfigResponse{}, nil
}

func (f *fake) RunPodSandbox(_ context.Context, r *cri.RunPodSandboxRequest) (*cri.RunPodSandboxResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id("sandbox")
	f.sandboxes[id] = &cri.PodSandboxStatus{
		Id: id, Metadata: r.Config.Metadata, Labels: r.Config.Labels, Annotations: r.Config.Annotations,
		State: cri.PodSandboxState_SANDBOX_READY, CreatedAt: time.Now().UnixNano(), Network: &cri.PodSandboxNetworkStatus{Ip: "192.0.2.9"},
		Linux: &cri.LinuxPodSandboxStatus{Namespaces: &cri.Namespace{Options: &cri.NamespaceOption{}}},
	}
	return &cri.RunPodSandboxResponse{PodSandboxId: id}, nil
}

func (f *fake) StopPodSandbox(_ context.Context, r *cri.StopPodSandboxRequest) (*cri.StopPodSandboxResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.sandboxes[r.PodSandboxId]; s != nil {
		s.State = cri.PodSandboxState_SANDBOX_NOTREADY
	}
	for id, sandbox := range f.of {
		if sandbox == r.PodSandboxId {
			f.end(id)
		}
	}
	return &cri.StopPodSandboxResponse{}, nil
}

func (f *fake) RemovePodSandbox(_ context.Context, r *cri.RemovePodSandboxRequest) (*cri.RemovePodSandboxResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sandboxes, r.PodSandboxId)
	for id, sandbox := range f.of {
		if sandbox == r.PodSandboxId {
			delete(f.containers, id)
			delete(f.of, id)
		}
	}
	return &cri.RemovePodSandboxResponse{}, nil
}

func (f *fake) PodSandboxStatus(_ context.Context, r *cri.PodSandboxStatusRequest) (*cri.PodSandboxStatusResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sandboxes[r.PodSandboxId]
	if s == nil {
		return nil, fmt.Errorf("no sandbox %s", r.PodSandboxId)
	}
	return &cri.PodSandboxStatusResponse{Status: s}, nil
}

func (f *fake) ListPodSandbox(_ context.Context, r *cri.ListPodSandboxRequest) (*cri.ListPodSandboxResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	items := []*cri.PodSandbox{}
	for _, s := range f.sandboxes {
		if fits(r.GetFilter().GetId(), s.Id) && labelled(r.GetFilter().GetLabelSelector(), s.Labels) && (r.GetFilter().GetState() == nil || r.Filter.State.State == s.State) {
			items = append(items, &cri.PodSandbox{Id: s.Id, Metadata: s.Metadata, State: s.State, CreatedAt: s.CreatedAt, Labels: s.Labels, Annotations: s.Annotations})
		}
	}
	return &cri.ListPodSandboxResponse{Items: items}, nil
}

func (f *fake) CreateContainer(_ context.Context, r *cri.CreateContainerRequest) (*cri.CreateContainerResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id("container")
	f.containers[id] = &cri.ContainerStatus{
		Id: id, Metadata: r.Config.Metadata, State: cri.ContainerState_CONTAINER_CREATED, CreatedAt: time.Now().UnixNano(),
		Image: r.Config.Image, ImageRef: r.Config.Image.Image, ImageId: r.Config.Image.Image, Labels: r.Config.Labels, Annotations: r.Config.Annotations,
	}
	f.of[id] = r.PodSandboxId
	return &cri.CreateContainerResponse{ContainerId: id}, f.out.Encode(map[string]any{
		"pod": r.SandboxConfig.Metadata.Name, "cdi": r.Config.CDIDevices, "devices": r.Config.Devices, "envs": r.Config.Envs, "mounts": r.Config.Mounts,
	})
}

func (f *fake) StartContainer(_ context.Context, r *cri.StartContainerRequest) (*cri.StartContainerResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.containers[r.ContainerId]
	c.State, c.StartedAt = cri.ContainerState_CONTAINER_RUNNING, time.Now().UnixNano()
	return &cri.StartContainerResponse{}, nil
}

func (f *fake) StopContainer(_ context.Context, r *cri.StopContainerRequest) (*cri.StopContainerResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end(r.ContainerId)
	return &cri.StopContainerResponse{}, nil
}

func (f *fake) end(id string) {
	if c := f.containers[id]; c != nil && c.State != cri.ContainerState_CONTAINER_EXITED {
		c.State, c.FinishedAt, c.ExitCode, c.Reason = cri.ContainerState_CONTAINER_EXITED, time.Now().UnixNano(), 143, "Error"
	}
}

func (f *fake) RemoveContainer(_ context.Context, r *cri.RemoveContainerRequest) (*cri.RemoveContainerResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.containers, r.ContainerId)
	delete(f.of, r.ContainerId)
	return &cri.RemoveContainerResponse{}, nil
}

func (f *fake) ContainerStatus(_ context.Context, r *cri.ContainerStatusRequest) (*cri.ContainerStatusResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.containers[r.ContainerId]
	if c == nil {
		return nil, fmt.Errorf("no container %s", r.ContainerId)
	}
	return &cri.ContainerStatusResponse{Status: c}, nil
}

func (f *fake) ListContainers(_ context.Context, r *cri.ListContainersRequest) (*cri.ListContainersResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []*cri.Container{}
	for id, c := range f.containers {
		filter := r.GetFilter()
		if fits(filter.GetId(), id) && fits(filter.GetPodSandboxId(), f.of[id]) && labelled(filter.GetLabelSelector(), c.Labels) && (filter.GetState() == nil || filter.State.State == c.State) {
			all = append(all, &cri.Container{
				Id: id, PodSandboxId: f.of[id], Metadata: c.Metadata, Image: c.Image, ImageRef: c.ImageRef, State: c.State, CreatedAt: c.CreatedAt, Labels: c.Labels, Annotations: c.Annotations,
			})
		}
	}
	return &cri.ListContainersResponse{Containers: all}, nil
}

func (f *fake) UpdateContainerResources(context.Context, *cri.UpdateContainerResourcesRequest) (*cri.UpdateContainerResourcesResponse, error) {
	return &cri.UpdateContainerResourcesResponse{}, nil
}

func (f *fake) ListPodSandboxStats(context.Context, *cri.ListPodSandboxStatsRequest) (*cri.ListPodSandboxStatsResponse, error) {
	return &cri.ListPodSandboxStatsResponse{}, nil
}

func (f *fake) ListContainerStats(context.Context, *cri.ListContainerStatsRequest) (*cri.ListContainerStatsResponse, error) {
	return &cri.ListContainerStatsResponse{}, nil
}

func (f *fake) ListImages(context.Context, *cri.ListImagesRequest) (*cri.ListImagesResponse, error) {
	return &cri.ListImagesResponse{}, nil
}

func (f *fake) ImageStatus(_ context.Context, r *cri.ImageStatusRequest) (*cri.ImageStatusResponse, error) {
	name := r.Image.Image
	return &cri.ImageStatusResponse{Image: &cri.Image{Id: name, RepoTags: []string{name}, Size: 1, Uid: &cri.Int64Value{Value: 0}}}, nil
}

func (f *fake) PullImage(_ context.Context, r *cri.PullImageRequest) (*cri.PullImageResponse, error) {
	return &cri.PullImageResponse{ImageRef: r.Image.Image}, nil
}

func (f *fake) ImageFsInfo(context.Context, *cri.ImageFsInfoRequest) (*cri.ImageFsInfoResponse, error) {
	usage := []*cri.FilesystemUsage{{Timestamp: time.Now().UnixNano(), FsId: &cri.FilesystemIdentifier{Mountpoint: "/"}, UsedBytes: &cri.UInt64Value{Value: 1}, InodesUsed: &cri.UInt64Value{Value: 1}}}
	return &cri.ImageFsInfoResponse{ImageFilesystems: usage, ContainerFilesystems: usage}, nil
}

func fits(wanted, is string) bool { return wanted == "" || wanted == is }

func labelled(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return true
}
