import type { GroupVersionKind, Json } from '../../machinery/object.ts'
import { parseJson } from '../registry/object-bytes.ts'
import type { Encoding } from './media-type.ts'
import { unrecognizedBody } from './receive.ts'

export interface ParsedBody {
  readonly json: Json
  /** Paths of fields that stand there twice. */
  readonly duplicates?: readonly string[] | undefined
  /** Numbers whose text matters, by path. */
  readonly numbers?: ReadonlyMap<string, string> | undefined
}

/** Text → JSON. Throws the 400 that Kubernetes gives for text that cannot be read. */
export async function parseBody(bytes: Buffer, _encoding: Encoding, expected: { readonly gvk: GroupVersionKind }): Promise<ParsedBody> {
  try {
    return { json: parseJson(bytes.toString()) as Json }
  } catch (error) {
    throw unrecognizedBody(expected.gvk.kind, `couldn't get version/kind; json parse error: ${String(error)}`, bytes)
  }
}
