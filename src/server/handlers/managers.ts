import type { KubeObject } from '../../machinery/object.ts'
import type { Call } from './call.ts'
import type { WriteOptions } from './options.ts'

/** Notes in `metadata.managedFields` who set what by a create. */
export function recordCreate(_call: Call, _draft: KubeObject, _options: WriteOptions): void {}

/** The same for an update; `old` is what is stored. */
export function recordUpdate(_call: Call, _draft: KubeObject, _old: KubeObject, _options: WriteOptions): void {}
