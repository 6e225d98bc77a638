import type { ContainerSpec, SandboxSpec } from '../container-spec.ts'

/** A sandbox of pod `uid`, with annotations. */
export const sandboxOf = (uid: string, annotations: Readonly<Record<string, string>> = {}): SandboxSpec => ({
  pod: { uid, name: uid, namespace: 'default' },
  attempt: 0,
  hostname: uid,
  hostNetwork: false,
  dns: { servers: [], searches: [], options: [] },
  runtimeHandler: '',
  labels: {},
  annotations,
})

/** A container of pod `uid`. */
export const containerOf = (uid: string, more: Partial<ContainerSpec> = {}): ContainerSpec => ({
  pod: { uid, name: uid, namespace: 'default' },
  name: 'main',
  attempt: 0,
  image: 'app',
  imageId: 'app',
  command: [],
  args: [],
  environment: [],
  mounts: [],
  devices: [],
  cdiDevices: [],
  labels: {},
  annotations: {},
  resources: {},
  user: { supplementalGroups: [] },
  stdin: false,
  tty: false,
  ...more,
})
