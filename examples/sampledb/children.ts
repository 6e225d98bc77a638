import type { ConfigMap, Container, Job, PersistentVolumeClaim, PodSpec, Secret, Service, StatefulSet } from 'bowsprit/types'
import type { Database } from './kind.ts'

const PORT = 5000
const KIND = 'databases.example.com/job'
const VERSION = 'databases.example.com/version'
const DUE = 'databases.example.com/due'

const nameOf = (db: Readonly<Database>) => db.metadata.name ?? ''
const labels = (db: Readonly<Database>) => ({ 'app.kubernetes.io/name': 'sampledb', 'app.kubernetes.io/instance': nameOf(db) })

/** The password is made once: whoever plans again takes the one that is there. */
export const credentials = (db: Readonly<Database>, password: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `${nameOf(db)}-credentials`, labels: labels(db) },
  type: 'Opaque',
  data: { username: btoa('sampledb'), password },
})

/** Where it is found, for its users and for the jobs below. */
export const connection = (db: Readonly<Database>, version: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `${nameOf(db)}-connection`, labels: labels(db) },
  data: { host: `${nameOf(db)}.${db.metadata.namespace}.svc`, port: String(PORT), database: nameOf(db), version },
})

export const service = (db: Readonly<Database>): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: nameOf(db), labels: labels(db) },
  spec: { clusterIP: 'None', selector: { ...labels(db), component: 'server' }, ports: [{ name: 'sampledb', port: PORT, protocol: 'TCP' }] },
})

/** The data outlives every pod, and goes with the database only. */
export const disk = (db: Readonly<Database>): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: `${nameOf(db)}-data`, labels: labels(db) },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: String(db.spec.storage) } },
    ...(db.spec.storageClassName === undefined ? {} : { storageClassName: db.spec.storageClassName }),
  },
})

/** The server. While its data is changed by an upgrade nobody may serve from it: then there are none. */
export const server = (db: Readonly<Database>, version: string, replicas: 0 | 1): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: nameOf(db), labels: labels(db) },
  spec: {
    serviceName: nameOf(db),
    replicas,
    selector: { matchLabels: { ...labels(db), component: 'server' } },
    template: {
      metadata: { labels: { ...labels(db), component: 'server' } },
      spec: {
        containers: [
          {
            name: 'sampledb',
            image: `sampledb:${version}`,
            ports: [{ name: 'sampledb', containerPort: PORT, protocol: 'TCP' }],
            envFrom: [{ secretRef: { name: `${nameOf(db)}-credentials` } }],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `${nameOf(db)}-data` } }],
      },
    },
  },
})

/** What is done to a database by a pod that connects to it, and ends. */
export interface Task {
  readonly kind: 'init' | 'backup' | 'preupgrade' | 'upgrade' | 'snapshot'
  /** The release of the tool. */
  readonly version: string
  /** Of a backup: for when it was due, in milliseconds. */
  readonly dueMs?: number
}

/** The task's name among all of its database: the same task has the same name, so it is done once. */
export function taskName(db: Readonly<Database>, { kind, version, dueMs }: Task): string {
  if (kind === 'backup') return `${nameOf(db)}-backup-${Math.floor((dueMs ?? 0) / 60_000)}`
  return kind === 'upgrade' || kind === 'preupgrade' ? `${nameOf(db)}-${kind}-${version.replace('.', '-')}` : `${nameOf(db)}-${kind}`
}

export function taskJob(db: Readonly<Database>, task: Task): Job {
  const own: Record<string, string> = { ...labels(db), [KIND]: task.kind, [VERSION]: task.version }
  const annotations: Record<string, string> = task.dueMs === undefined ? {} : { [DUE]: new Date(task.dueMs).toISOString() }
  const onDisk = task.kind === 'upgrade'
  const container: Container = {
    name: task.kind,
    image: `sampledb-tools:${task.version}`,
    args: [task.kind],
    envFrom: [{ configMapRef: { name: `${nameOf(db)}-connection` } }, { secretRef: { name: `${nameOf(db)}-credentials` } }],
    ...(onDisk ? { volumeMounts: [{ name: 'data', mountPath: '/data' }] } : {}),
  }
  const pod: PodSpec = {
    restartPolicy: 'Never',
    containers: [container],
    ...(onDisk ? { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `${nameOf(db)}-data` } }] } : {}),
  }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: taskName(db, task), labels: own, annotations },
    spec: { backoffLimit: 2, template: { metadata: { labels: own }, spec: pod } },
  }
}

/** The task that a job is; how it went. */
export function readTask(job: Readonly<Job>): Task & { readonly ended: 'complete' | 'failed' | undefined } {
  const { labels: own = {}, annotations = {} } = job.metadata
  const holds = (type: string) => job.status?.conditions?.some((c) => c.type === type && c.status === 'True')
  const due = annotations[DUE]
  return {
    kind: (own[KIND] ?? 'init') as Task['kind'],
    version: own[VERSION] ?? '',
    ...(due === undefined ? {} : { dueMs: Date.parse(due) }),
    ended: holds('Complete') ? 'complete' : holds('Failed') ? 'failed' : undefined,
  }
}
