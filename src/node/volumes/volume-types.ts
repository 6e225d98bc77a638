import type { CSIVolumeSource, FlexVolumeSource } from '../../resources/types/core.ts'

/** The parts of `v1.Volume` whose content a node creates. */
export interface VolumeSource {
  readonly name: string
  readonly configMap?: ConfigMapSource & { readonly defaultMode?: number }
  readonly secret?: {
    readonly secretName?: string
    readonly items?: readonly KeyToPath[]
    readonly optional?: boolean
    readonly defaultMode?: number
  }
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[]; readonly defaultMode?: number }
  readonly projected?: { readonly sources?: readonly ProjectedSource[]; readonly defaultMode?: number }
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string | number }
  readonly hostPath?: { readonly path: string; readonly type?: string }
  readonly image?: { readonly reference?: string }
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
  readonly ephemeral?: object
  readonly csi?: CSIVolumeSource
  readonly flexVolume?: FlexVolumeSource
}

export interface KeyToPath {
  readonly key: string
  readonly path: string
  readonly mode?: number
}

export interface ConfigMapSource {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
  readonly optional?: boolean
}

export interface DownwardFile {
  readonly path: string
  readonly mode?: number
  readonly fieldRef?: { readonly fieldPath: string }
  readonly resourceFieldRef?: { readonly containerName?: string; readonly resource: string; readonly divisor?: string | number }
}

/** The token request of `serviceAccountToken` in a projected volume. */
export interface TokenSource {
  readonly audience?: string
  readonly expirationSeconds?: number
  readonly path: string
}

export interface ProjectedSource {
  readonly configMap?: ConfigMapSource
  readonly secret?: ConfigMapSource
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] }
  readonly serviceAccountToken?: TokenSource
  readonly clusterTrustBundle?: {
    readonly name?: string
    readonly signerName?: string
    readonly labelSelector?: object
    readonly optional?: boolean
    readonly path: string
  }
}
