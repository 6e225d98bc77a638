import type { KubeObject } from '../../machinery/object.ts'

export const API_SERVICES = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } as const

/** `spec` of an APIService. */
export interface ApiServiceSpec {
  readonly group?: string
  readonly version: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
  /** Absent: this server serves the group version. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number } | null
  /** PEM in base64. */
  readonly caBundle?: string
  readonly insecureSkipTLSVerify?: boolean
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

/** A group version and its server. */
export interface ApiService extends KubeObject {
  readonly spec: ApiServiceSpec
  status?: { conditions?: readonly Condition[] }
}

/** The automanaged annotation: `true`: the server maintains the APIService; `onstart`: it only creates it. */
export const MANAGED = 'kube-aggregator.kubernetes.io/automanaged'

export const isAvailable = (service: ApiService): boolean =>
  (service.status?.conditions ?? []).some((c) => c.type === 'Available' && c.status === 'True')

export const nameOf = (group: string, version: string): string => `${version}.${group}`
/** The root path of the group version. */
export const rootOf = ({ group = '', version }: Pick<ApiServiceSpec, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`
