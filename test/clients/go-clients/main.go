// Command test uses a cluster the way most operators do: client-go with protobuf, informers and leader election, and controller-runtime with its
// defaults. It prints one line for each thing that worked, and ends with 1 at the first that did not.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const namespace = "default"

func main() {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.QPS, config.Burst = 1000, 1000
	if len(os.Args) > 1 && os.Args[1] == "witness" {
		witness(ctx, config)
		return
	}
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = "application/vnd.kubernetes.protobuf"
	protobuf.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	for _, kind := range []struct {
		name   string
		config *rest.Config
	}{{"json", config}, {"protobuf", protobuf}} {
		clients := kubernetes.NewForConfigOrDie(kind.config)
		typed(ctx, kind.name, clients)
		objects(ctx, kind.name, clients)
		informer(ctx, kind.name, clients)
		done(kind.name)
	}
	same(ctx, kubernetes.NewForConfigOrDie(config), kubernetes.NewForConfigOrDie(protobuf))
	done("same")
	partial(ctx, protobuf)
	done("metadata")
	elect(ctx, kubernetes.NewForConfigOrDie(protobuf))
	done("leader election")
	manager(ctx, config)
	done("controller-runtime")
}

// typed creates, reads, updates, patches, applies and deletes with the typed client.
func typed(ctx context.Context, name string, clients kubernetes.Interface) {
	maps := clients.CoreV1().ConfigMaps(namespace)
	made, err := maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-", Labels: map[string]string{"made-by": name}},
		Data:       map[string]string{"a": "ü"},
		BinaryData: map[string][]byte{"b": {0, 1, 255}},
	}, metav1.CreateOptions{})
	must(err)
	check(made.UID != "" && made.Data["a"] == "ü" && len(made.BinaryData["b"]) == 3, "the created object comes back whole", made)
	stale := made.DeepCopy()
	made.Data["a"] = "2"
	made, err = maps.Update(ctx, made, metav1.UpdateOptions{})
	must(err)
	stale.Data["a"] = "3"
	_, err = maps.Update(ctx, stale, metav1.UpdateOptions{})
	check(apierrors.IsConflict(err), "a stale update is a conflict", err)
	must(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		fresh, err := maps.Get(ctx, made.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		fresh.Data["a"] = "4"
		_, err = maps.Update(ctx, fresh, metav1.UpdateOptions{})
		return err
	}))
	_, err = maps.Get(ctx, "missing", metav1.GetOptions{})
	check(apierrors.IsNotFound(err), "what is missing is not found", err)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: made.Name}}, metav1.CreateOptions{})
	check(apierrors.IsAlreadyExists(err), "what is there already exists", err)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Not A Name"}}, metav1.CreateOptions{})
	check(apierrors.IsInvalid(err), "a bad name is invalid", err)
	for _, patch := range []struct {
		kind types.PatchType
		text string
	}{
		{types.MergePatchType, `{"data":{"m":"1"}}`},
		{types.StrategicMergePatchType, `{"data":{"s":"1"}}`},
		{types.JSONPatchType, `[{"op":"add","path":"/data/j","value":"1"}]`},
	} {
		_, err = maps.Patch(ctx, made.Name, patch.kind, []byte(patch.text), metav1.PatchOptions{})
		must(err)
	}
	applied, err := maps.Apply(ctx, applycorev1.ConfigMap(made.Name, namespace).WithData(map[string]string{"applied": "1"}), metav1.ApplyOptions{FieldManager: "test"})
	must(err)
	check(applied.Data["m"] == "1" && applied.Data["s"] == "1" && applied.Data["j"] == "1" && applied.Data["applied"] == "1", "every patch is in", applied.Data)
	list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "made-by=" + name})
	must(err)
	check(len(list.Items) == 1, "the list has the one object", list)
	must(maps.Delete(ctx, made.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(made.UID))}))
	must(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "made-by=" + name}))
}

func template(name string) corev1.PodTemplateSpec {
	seconds := int64(3)
	yes := true
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "main", Image: "app", Command: []string{"sleep", "3600"},
				Env:             []corev1.EnvVar{{Name: "A", Value: "b"}, {Name: "N", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
				Ports:           []corev1.ContainerPort{{ContainerPort: 80, Name: "http"}},
				Resources:       corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("1.5Gi")}},
				ReadinessProbe:  &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromString("http"), Path: "/"}}, PeriodSeconds: 1},
				SecurityContext: &corev1.SecurityContext{RunAsNonRoot: &yes},
			}},
			Volumes:                       []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
			Tolerations:                   []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists, TolerationSeconds: &seconds, Effect: corev1.TaintEffectNoExecute}},
			TerminationGracePeriodSeconds: &seconds,
		},
	}
}

// objects makes one of many kinds, so that many messages go both ways.
func objects(ctx context.Context, name string, clients kubernetes.Interface) {
	replicas := int32(2)
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	half := intstr.FromString("50%")
	meta := metav1.ObjectMeta{Name: name}
	deployment, err := clients.AppsV1().Deployments(namespace).Create(ctx, &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: selector, Template: template(name),
		Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &half}},
	}}, metav1.CreateOptions{})
	must(err)
	check(deployment.Spec.Strategy.RollingUpdate.MaxSurge.StrVal == "50%" && *deployment.Spec.RevisionHistoryLimit == 10, "a deployment has its defaults", deployment.Spec)
	scale, err := clients.AppsV1().Deployments(namespace).GetScale(ctx, name, metav1.GetOptions{})
	must(err)
	scale.Spec.Replicas = 3
	scale, err = clients.AppsV1().Deployments(namespace).UpdateScale(ctx, name, scale, metav1.UpdateOptions{})
	must(err)
	check(scale.Spec.Replicas == 3, "scale scales", scale)
	deployment, err = clients.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	must(err)
	deployment.Status.ObservedGeneration = deployment.Generation
	deployment.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, LastUpdateTime: metav1.Now(), LastTransitionTime: metav1.Now()}}
	_, err = clients.AppsV1().Deployments(namespace).UpdateStatus(ctx, deployment, metav1.UpdateOptions{})
	must(err)
	_, err = clients.BatchV1().CronJobs(namespace).Create(ctx, &batchv1.CronJob{ObjectMeta: meta, Spec: batchv1.CronJobSpec{Schedule: "@daily", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: func() corev1.PodTemplateSpec {
		t := template(name)
		t.Spec.RestartPolicy = corev1.RestartPolicyNever
		return t
	}()}}}}, metav1.CreateOptions{})
	must(err)
	_, err = clients.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, &policyv1.PodDisruptionBudget{ObjectMeta: meta, Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &half, Selector: selector}}, metav1.CreateOptions{})
	must(err)
	_, err = clients.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}}, metav1.CreateOptions{})
	must(err)
	service, err := clients.CoreV1().Services(namespace).Create(ctx, &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{Selector: selector.MatchLabels, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}}}}, metav1.CreateOptions{})
	must(err)
	check(service.Spec.ClusterIP != "", "a service has an address", service.Spec)
	made := template(name)
	pod, err := clients.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: made.Labels}, Spec: made.Spec}, metav1.CreateOptions{})
	must(err)
	memory := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory]
	check(memory.Value() == 3<<29, "quantities are exact", memory.String())
	watch, err := clients.CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name, ResourceVersion: pod.ResourceVersion})
	must(err)
	defer watch.Stop()
	for event := range watch.ResultChan() {
		changed, ok := event.Object.(*corev1.Pod)
		check(ok, "watch events are pods", event.Object)
		if changed.Status.Phase == corev1.PodRunning && len(changed.Status.ContainerStatuses) == 1 && changed.Status.ContainerStatuses[0].Ready {
			break
		}
	}
	token, err := clients.CoreV1().Secrets(namespace).Create(ctx, &corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"a": "b"}}, metav1.CreateOptions{})
	must(err)
	check(string(token.Data["a"]) == "b", "string data becomes data", token)
	must(clients.CoreV1().Pods(namespace).Delete(ctx, name, *metav1.NewDeleteOptions(0)))
}

// informer follows a kind and hears of a change.
func informer(ctx context.Context, name string, clients kubernetes.Interface) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := informers.NewSharedInformerFactory(clients, 0)
	pods, deployments, nodes := factory.Core().V1().ConfigMaps(), factory.Apps().V1().Deployments(), factory.Core().V1().Nodes()
	heard := make(chan string, 100)
	_, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { heard <- "+" + o.(*corev1.ConfigMap).Name },
		UpdateFunc: func(_, o any) { heard <- "~" + o.(*corev1.ConfigMap).Name },
		DeleteFunc: func(any) { heard <- "-" },
	})
	must(err)
	deployments.Informer()
	nodes.Informer()
	factory.Start(ctx.Done())
	for kind, ok := range factory.WaitForCacheSync(ctx.Done()) {
		check(ok, "the cache of an informer is filled", kind)
	}
	found, err := deployments.Lister().Deployments(namespace).Get(name)
	must(err)
	check(*found.Spec.Replicas == 3, "the lister finds the deployment", found.Spec)
	all, err := nodes.Lister().List(labels.Everything())
	must(err)
	check(len(all) == 1, "there is one node", all)
	followed := "followed-" + name
	maps := clients.CoreV1().ConfigMaps(namespace)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: followed}}, metav1.CreateOptions{})
	must(err)
	await(ctx, heard, "+"+followed)
	_, err = maps.Patch(ctx, followed, types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{})
	must(err)
	await(ctx, heard, "~"+followed)
	must(maps.Delete(ctx, followed, metav1.DeleteOptions{}))
	await(ctx, heard, "-")
}

// same compares what the two encodings say of the same objects.
func same(ctx context.Context, one, two kubernetes.Interface) {
	compare := func(kind string, a, b any, errs ...error) {
		for _, err := range errs {
			must(err)
		}
		check(apiequality.Semantic.DeepEqual(a, b), "JSON and protobuf say the same of "+kind, fmt.Sprintf("%+v\n%+v", a, b))
	}
	options := metav1.ListOptions{}
	roles1, err1 := one.RbacV1().ClusterRoles().List(ctx, options)
	roles2, err2 := two.RbacV1().ClusterRoles().List(ctx, options)
	compare("cluster roles", roles1.Items, roles2.Items, err1, err2)
	nodes1, err1 := one.CoreV1().Nodes().List(ctx, options)
	nodes2, err2 := two.CoreV1().Nodes().List(ctx, options)
	for i := range nodes1.Items { // heartbeats come between
		nodes1.Items[i].Status.Conditions, nodes2.Items[i].Status.Conditions = nil, nil
		nodes1.Items[i].ResourceVersion, nodes2.Items[i].ResourceVersion = "", ""
		nodes1.Items[i].ManagedFields, nodes2.Items[i].ManagedFields = nil, nil
	}
	compare("nodes", nodes1.Items, nodes2.Items, err1, err2)
	deployments1, err1 := one.AppsV1().Deployments(namespace).List(ctx, options)
	deployments2, err2 := two.AppsV1().Deployments(namespace).List(ctx, options)
	compare("deployments", deployments1.Items, deployments2.Items, err1, err2)
	jobs1, err1 := one.BatchV1().CronJobs(namespace).List(ctx, options)
	jobs2, err2 := two.BatchV1().CronJobs(namespace).List(ctx, options)
	compare("cron jobs", jobs1.Items, jobs2.Items, err1, err2)
	flows1, err1 := one.FlowcontrolV1().FlowSchemas().List(ctx, options)
	flows2, err2 := two.FlowcontrolV1().FlowSchemas().List(ctx, options)
	compare("flow schemas", flows1.Items, flows2.Items, err1, err2)
	services1, err1 := one.CoreV1().Services("").List(ctx, options)
	services2, err2 := two.CoreV1().Services("").List(ctx, options)
	compare("services", services1.Items, services2.Items, err1, err2)
	groups1, _, err1 := one.Discovery().ServerGroupsAndResources()
	groups2, _, err2 := two.Discovery().ServerGroupsAndResources()
	compare("groups", groups1, groups2, err1, err2)
}

// partial lists nothing but metadata.
func partial(ctx context.Context, config *rest.Config) {
	clients := metadata.NewForConfigOrDie(config)
	list, err := clients.Resource(appsv1.SchemeGroupVersion.WithResource("deployments")).Namespace(namespace).List(ctx, metav1.ListOptions{})
	must(err)
	check(len(list.Items) == 2 && list.Items[0].Name == "json" && list.Items[0].UID != "", "metadata alone is listed", list)
}

// elect leads, lets go, and lets another lead.
func elect(ctx context.Context, clients kubernetes.Interface) {
	for _, name := range []string{"first", "second"} {
		ctx, cancel := context.WithCancel(ctx)
		led := false
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock:            &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Name: "leader", Namespace: namespace}, Client: clients.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: name}},
			LeaseDuration:   15 * time.Second,
			RenewDeadline:   10 * time.Second,
			RetryPeriod:     time.Second,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { led = true; cancel() },
				OnStoppedLeading: func() {},
			},
		})
		cancel()
		check(led, name+" leads", nil)
	}
}

// manager runs a controller that gives each config map marked `copy` a copy that it owns.
func manager(ctx context.Context, config *rest.Config) {
	ctx, cancel := context.WithCancel(ctx)
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "manager.bowsprit.dev",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	must(err)
	must(ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).Complete(reconciler{mgr.GetClient()}))
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	check(mgr.GetCache().WaitForCacheSync(ctx), "the caches of the manager are filled", nil)
	direct, err := client.New(config, client.Options{})
	must(err)
	must(direct.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "original", Namespace: namespace, Labels: map[string]string{"copy": "yes"}}, Data: map[string]string{"a": "b"}}))
	key := client.ObjectKey{Namespace: namespace, Name: "original-copy"}
	for _, round := range []string{"made", "made again"} {
		copied := &corev1.Secret{}
		for err = direct.Get(ctx, key, copied); err != nil; err = direct.Get(ctx, key, copied) {
			check(apierrors.IsNotFound(err) && ctx.Err() == nil, "the copy is "+round, err)
			time.Sleep(20 * time.Millisecond)
		}
		check(string(copied.Data["a"]) == "b" && len(copied.OwnerReferences) == 1, "the copy is whole", copied)
		if round == "made" {
			must(direct.Delete(ctx, copied, client.Preconditions{UID: &copied.UID}))
		}
	}
	cancel()
	must(<-ended)
}

type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	original := &corev1.ConfigMap{}
	if err := r.Get(ctx, request.NamespacedName, original); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if original.Labels["copy"] != "yes" {
		return ctrl.Result{}, nil
	}
	copied := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: original.Name + "-copy", Namespace: original.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, copied, func() error {
		copied.StringData = original.Data
		return controllerutil.SetControllerReference(original, copied, r.Scheme())
	})
	return ctrl.Result{}, err
}

func await(ctx context.Context, heard <-chan string, wanted string) {
	for {
		select {
		case said := <-heard:
			if said == wanted {
				return
			}
		case <-ctx.Done():
			check(false, "the informer says "+wanted, ctx.Err())
		}
	}
}

func done(what string) { fmt.Println("ok", what) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func check(ok bool, rule string, seen any) {
	if !ok {
		panic(fmt.Sprintf("%s: no: %v", rule, seen))
	}
}
