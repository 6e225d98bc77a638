// An operator with controller-runtime that makes a claim and two secrets for each database. MISTAKE selects what it does wrong:
// "crash" makes the second secret only in the run that made the first, "stale" deletes the claim by its name alone.
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.com/databases"

var mistake = os.Getenv("MISTAKE")

type reconciler struct {
	client.Client
	live client.Reader
}

func database() *unstructured.Unstructured {
	db := &unstructured.Unstructured{}
	db.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Database"})
	return db
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	db := database()
	if err := r.Get(ctx, request.NamespacedName, db); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if db.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, r.clean(ctx, db)
	}
	if controllerutil.AddFinalizer(db, finalizer) {
		if err := r.Update(ctx, db); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := r.ensure(ctx, claim(db)); err != nil {
		return ctrl.Result{}, err
	}
	first := secret(db, "-ssl")
	if mistake == "crash" && r.live.Get(ctx, client.ObjectKeyFromObject(first), &corev1.Secret{}) == nil {
		return ctrl.Result{}, nil
	}
	if err := r.ensure(ctx, first); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.ensure(ctx, secret(db, "-ssl-internal"))
}

func (r *reconciler) clean(ctx context.Context, db *unstructured.Unstructured) error {
	if mistake != "stale" {
		now := database()
		if err := r.live.Get(ctx, client.ObjectKeyFromObject(db), now); err != nil {
			return client.IgnoreNotFound(err)
		}
		if now.GetUID() != db.GetUID() {
			return nil
		}
	}
	if err := client.IgnoreNotFound(r.Delete(ctx, claim(db))); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(db, finalizer)
	return client.IgnoreNotFound(r.Update(ctx, db))
}

func (r *reconciler) ensure(ctx context.Context, object client.Object) error {
	err := r.Create(ctx, object)
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func claim(db *unstructured.Unstructured) *corev1.PersistentVolumeClaim {
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: db.GetNamespace(), Name: "data-" + db.GetName()},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: size},
		},
	}
}

func secret(db *unstructured.Unstructured, suffix string) *corev1.Secret {
	owner := metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Database", Name: db.GetName(), UID: db.GetUID()}
	name := db.GetName() + suffix
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: db.GetNamespace(), Name: name, OwnerReferences: []metav1.OwnerReference{owner}}}
}

// Without METRICS it listens on no port.
func metricsAddress() string {
	if address := os.Getenv("METRICS"); address != "" {
		return address
	}
	return "0"
}

func main() {
	log.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		LeaderElection: os.Getenv("ELECT") != "", LeaderElectionID: "databases", LeaderElectionNamespace: "default",
		// Objects without a Go type are read from the cache, too.
		Client:  client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		Metrics: metricsserver.Options{BindAddress: metricsAddress()},
	})
	if err == nil {
		r := &reconciler{Client: manager.GetClient(), live: manager.GetAPIReader()}
		err = ctrl.NewControllerManagedBy(manager).For(database()).Owns(&corev1.Secret{}).Complete(r)
	}
	if err == nil {
		err = manager.Start(ctrl.SetupSignalHandler())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
