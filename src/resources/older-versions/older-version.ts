import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceVersion } from '../../machinery/resource/definition.ts'

/** A version that Kubernetes has removed, for programs that were written before. */
export interface OlderVersion {
  readonly group: string
  readonly version: string
  /** The version whose form it has, or can be converted to. */
  readonly like: string
  /** The minor version of Kubernetes 1 that has it no more. */
  readonly removedIn: number
  /** How its objects are converted, where its form is its own. */
  readonly format?: VersionFormat
}

/** The form of objects of an older version. */
export interface VersionFormat {
  readonly schema: (like: ResourceVersion) => ResourceVersion['schema']
  /** The objects, except for their apiVersion, in the form of the other version. */
  readonly toNewer: (object: KubeObject) => KubeObject
  readonly toOlder: (object: KubeObject) => KubeObject
}
