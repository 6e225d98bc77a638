import type { KubeObject } from '../../machinery/object.ts'
import type { GatedKind } from '../../resources/gated-kinds.ts'
import { versionsOfAge } from '../../resources/older-versions/older-versions.ts'

/** The built-in group versions: group, its priority among groups, its versions with their priority (default 15). */
const SERVED: readonly (readonly [string, number, Readonly<Record<string, number>>])[] = [
  ['', 18_000, { v1: 1 }],
  ['admissionregistration.k8s.io', 16_700, { v1: 15 }],
  ['apiextensions.k8s.io', 16_700, { v1: 15 }],
  ['apps', 17_800, { v1: 15 }],
  ['authentication.k8s.io', 17_700, { v1: 15 }],
  ['authorization.k8s.io', 17_600, { v1: 15 }],
  ['autoscaling', 17_500, { v1: 15, v2: 30 }],
  ['batch', 17_400, { v1: 15 }],
  ['certificates.k8s.io', 17_300, { v1: 15 }],
  ['coordination.k8s.io', 16_500, { v1: 15 }],
  ['discovery.k8s.io', 16_200, { v1: 15 }],
  ['events.k8s.io', 17_750, { v1: 15 }],
  ['flowcontrol.apiserver.k8s.io', 16_100, { v1: 21 }],
  ['networking.k8s.io', 17_200, { v1: 15 }],
  ['node.k8s.io', 16_300, { v1: 15 }],
  ['policy', 17_100, { v1: 15 }],
  ['rbac.authorization.k8s.io', 17_000, { v1: 15 }],
  ['resource.k8s.io', 16_200, { v1: 21 }],
  ['scheduling.k8s.io', 16_600, { v1: 15 }],
  ['storage.k8s.io', 16_800, { v1: 15 }],
]

/** What is served beyond Kubernetes' defaults. */
export interface ServedVersions {
  /** The kinds that are off by default and served here. */
  readonly gatedKinds: readonly GatedKind[]
  /** The minor version of Kubernetes 1 whose removed versions are served too. */
  readonly age?: number | undefined
  /** Whether a version that is on by default is served. Default: all are. */
  readonly serves?: (group: string, version: string) => boolean
}

/** The APIService of every built-in group version: served locally, so available from its creation. */
export function apiServices({ gatedKinds, age, serves = () => true }: ServedVersions): KubeObject[] {
  return SERVED.flatMap(([group, groupPriorityMinimum, versions]) =>
    Object.entries({ ...versions, ...gatedVersions(group, gatedKinds), ...olderVersions(group, age) })
      .filter(([version]) => serves(group, version))
      .map(([version, versionPriority]) => localApiService({ group, version, groupPriorityMinimum, versionPriority }, 'onstart')),
  )
}

/** Versions that are off by default, by group, with their priorities. */
const GATED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'certificates.k8s.io': { v1beta1: 1 },
  'scheduling.k8s.io': { v1alpha2: 2 },
}

const gatedVersions = (group: string, gatedKinds: readonly GatedKind[]) =>
  gatedKinds.some(({ definition }) => definition.group === group) ? GATED[group] : {}

const OLDER_PRIORITY = 1
const olderVersions = (group: string, age: number | undefined): Readonly<Record<string, number>> =>
  Object.fromEntries(versionsOfAge(age).flatMap((older) => (older.group === group ? [[older.version, OLDER_PRIORITY]] : [])))

/** Whether the server creates the APIService of this group version only at its start. */
export const isRegisteredAtStart = (group: string, version: string): boolean =>
  SERVED.some(([name, , versions]) => name === group && Object.hasOwn(versions, version))

interface LocalGroupVersion {
  readonly group: string
  readonly version: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

/**
 * The APIService of a group version that this server serves. Those of custom resources are managed `true`: they are created and deleted.
 */
export function localApiService(spec: LocalGroupVersion, managed: 'onstart' | 'true'): KubeObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${spec.version}.${spec.group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': managed } },
    spec: {
      ...(spec.group === '' ? {} : { group: spec.group }),
      version: spec.version,
      groupPriorityMinimum: spec.groupPriorityMinimum,
      versionPriority: spec.versionPriority,
    },
  }
}
