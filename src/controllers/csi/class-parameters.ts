import type { PersistentVolumeClaim, SecretReference } from '../../resources/types/core.ts'

const PREFIX = 'csi.storage.k8s.io/'

/** Who reads a secret that a class names. */
export type SecretUse = 'provisioner' | 'controller-publish' | 'node-stage' | 'node-publish' | 'controller-expand' | 'node-expand'

/** What of a class' parameters is not the driver's. */
export interface ClassParameters {
  readonly fsType: string | undefined
  readonly secret: (use: SecretUse) => SecretReference | undefined
  /** The others: for the driver. */
  readonly own: Readonly<Record<string, string>>
}

/** The parameters of a storage class for a claim: names of secrets may have parts of the claim's and its volume's name in them. Pure. */
export function classParameters(
  parameters: Readonly<Record<string, string>>,
  { metadata: { name = '', namespace = '', annotations = {} } }: PersistentVolumeClaim,
  volumeName: string,
): ClassParameters {
  const fill = (text: string) =>
    text.replace(/\$\{([^}]*)\}/g, (whole, key: string) => {
      if (key === 'pv.name') return volumeName
      if (key === 'pvc.name') return name
      if (key === 'pvc.namespace') return namespace
      return annotations[/^pvc\.annotations\['(.*)'\]$/.exec(key)?.[1] ?? ''] ?? whole
    })
  return {
    fsType: parameters[`${PREFIX}fstype`],
    secret(use) {
      const [secret, place] = [parameters[`${PREFIX}${use}-secret-name`], parameters[`${PREFIX}${use}-secret-namespace`]]
      return secret === undefined || place === undefined ? undefined : { name: fill(secret), namespace: fill(place) }
    },
    own: ownParameters(parameters),
  }
}

/** Those that are the driver's. Pure. */
export const ownParameters = (parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(parameters).filter(([key]) => !key.startsWith(PREFIX)))

/** The names of a volume's objects, as the driver gets them. */
export const objectParameters = ({ metadata }: PersistentVolumeClaim, volumeName: string): Readonly<Record<string, string>> => ({
  [`${PREFIX}pv/name`]: volumeName,
  [`${PREFIX}pvc/name`]: metadata.name ?? '',
  [`${PREFIX}pvc/namespace`]: metadata.namespace ?? '',
})
