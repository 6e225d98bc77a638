import { notImplemented } from '../../machinery/status-error.ts'
import type { Answer, Call } from './call.ts'
import type { WriteOptions } from './options.ts'
import type { PatchSource } from './patch.ts'

/** Server-side apply. */
export async function applyPatch(_call: Call, _source: PatchSource, _options: WriteOptions): Promise<Answer> {
  throw notImplemented('server-side apply')
}
