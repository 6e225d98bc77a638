package main

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// witness prints a line for each turn that the deployment "web", its pods and the nodes take, until it is killed.
func witness(ctx context.Context, config *rest.Config) {
	mgr, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	must(err)
	var mutex sync.Mutex
	last := map[string]string{}
	say := func(what, state string) {
		mutex.Lock()
		defer mutex.Unlock()
		if last[what] != state {
			last[what] = state
			fmt.Println(what, state)
		}
	}
	look := func(object client.Object, reconciled func(ctx context.Context, request reconcile.Request) error) {
		must(ctrl.NewControllerManagedBy(mgr).For(object).Complete(reconcile.Func(
			func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
				return reconcile.Result{}, client.IgnoreNotFound(reconciled(ctx, request))
			})))
	}
	look(&appsv1.Deployment{}, func(ctx context.Context, request reconcile.Request) error {
		var found appsv1.Deployment
		if err := mgr.GetClient().Get(ctx, request.NamespacedName, &found); err != nil {
			return err
		}
		status, wanted := found.Status, *found.Spec.Replicas
		if status.ObservedGeneration == found.Generation && status.Replicas == wanted && status.UpdatedReplicas == wanted && status.AvailableReplicas == wanted {
			say(found.Name, "is out: "+found.Spec.Template.Spec.Containers[0].Image)
		}
		return nil
	})
	look(&corev1.Node{}, func(ctx context.Context, request reconcile.Request) error {
		var found corev1.Node
		if err := mgr.GetClient().Get(ctx, request.NamespacedName, &found); err != nil {
			return err
		}
		for _, condition := range found.Status.Conditions {
			if condition.Type == corev1.NodeReady {
				say(found.Name, fmt.Sprintf("is ready: %s, cordoned: %t", condition.Status, found.Spec.Unschedulable))
			}
		}
		return nil
	})
	look(&corev1.Pod{}, func(ctx context.Context, _ reconcile.Request) error {
		var pods corev1.PodList
		if err := mgr.GetClient().List(ctx, &pods, client.InNamespace(namespace), client.MatchingLabels{"app": "web"}); err != nil {
			return err
		}
		nodes, ready := map[string]bool{}, 0
		for _, pod := range pods.Items {
			for _, condition := range pod.Status.Conditions {
				if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil {
					ready++
					nodes[pod.Spec.NodeName] = true
				}
			}
		}
		names := []string{}
		for name := range nodes {
			names = append(names, name)
		}
		sort.Strings(names)
		if ready == 4 {
			say("pods", "are on "+strings.Join(names, " and "))
		} else if ready < 3 {
			say("pods", "are too few")
		}
		return nil
	})
	must(mgr.Start(ctx))
}
