/** The names of kube-controller-manager's work queues, where they are not those of our controllers. */
const NAMES: Readonly<Record<string, string>> = {
  'attributes-class-protection': 'vacprotection',
  'claim-protection': 'pvcprotection',
  'clusterrole-aggregation': 'ClusterRoleAggregator',
  'cron-job': 'cronjob',
  'daemon-set': 'daemonset',
  'device-taint-eviction': 'device-taint-eviction-controller',
  'garbage-collector': 'garbage_collector_attempt_to_delete',
  'horizontal-autoscaler': 'horizontalpodautoscaler',
  'node-lifecycle': 'node_lifecycle_controller',
  'node-ttl': 'ttlcontroller',
  'policy-status': 'validatingadmissionpolicy-status',
  'replica-set': 'replicaset',
  replication: 'replicationmanager',
  resourcequota: 'resourcequota_primary',
  'root-ca': 'root_ca_cert_publisher',
  'service-account': 'serviceaccount',
  'service-account-token': 'serviceaccount_tokens_service',
  'stale-disruption': 'stale_pod_disruption',
  'stateful-set': 'statefulset',
  'ttl-after-finished': 'ttl_jobs_to_delete',
  'volume-binder': 'volumes',
  'volume-expander': 'volume_expand',
  'volume-protection': 'pvprotection',
}

/** The name of a controller's queue in `workqueue_*`: `endpoint_slice`, `replicaset`. */
export function queueNameOf(controller: string): string {
  const name = controller.replace(/-controller$/, '')
  return NAMES[name] ?? name.replaceAll('-', '_')
}
