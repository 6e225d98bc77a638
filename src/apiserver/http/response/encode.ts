import { giveTurn } from '../../../base/turns.ts'
import { escapeHtml } from '../../../machinery/escape-html.ts'
import { AS_GO, encodeJson } from '../../../machinery/json/strict-json.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { isHeavy } from '../../../machinery/weight.ts'
import { LONG_YAML } from '../../handlers/body/body-text.ts'
import type { Kinds } from '../../kinds.ts'
import { type Format, PROTOBUF_TYPE } from './negotiate.ts'

export interface Encoded {
  readonly body: string | Uint8Array
  readonly type: string
}

/** Encodes an object in the format. `kinds` gives the protobuf schema. */
export async function encode(value: unknown, { encoding, pretty }: Format, kinds: Kinds): Promise<Encoded> {
  switch (encoding) {
    case 'json':
      return { body: pretty ? prettyJson(value) : `${await jsonText(value)}\n`, type: 'application/json' }
    case 'yaml':
      return { body: await yamlText(value), type: 'application/yaml' }
    case 'protobuf':
      return { body: (await import('../../handlers/body/protobuf.ts')).jsonToProtobuf(kinds, value as JsonObject), type: PROTOBUF_TYPE }
  }
}

/** A message may quote a body of megabytes: its JSON is written in one turn and escaped in another. */
async function jsonText(value: unknown): Promise<string> {
  if (!isHeavy(value)) return encodeJson(value, AS_GO)
  await giveTurn()
  const json = encodeJson(value)
  await giveTurn()
  return escapeHtml(json)
}

/** Writes YAML. Large values are written in a worker thread, because the writer cannot be interrupted. */
export async function yamlText(value: unknown): Promise<string> {
  const json = isHeavy(value) ? encodeJson(value) : ''
  if (json.length > LONG_YAML) return (await import('../../handlers/body/yaml-in-worker.ts')).encodeYamlInWorker(json)
  return (await import('../../../machinery/yaml/yaml.ts')).encodeYaml(value)
}

/** JSON with the indentation of `?pretty=true`. */
export function prettyJson(value: unknown): string {
  return encodeJson(value, { ...AS_GO, indent: 2 })
}
