import { parentPort } from 'node:worker_threads'
import { decodeJson, encodeJson } from '../../../machinery/json/strict-json.ts'
import { sortedKeys } from '../../../machinery/sorted-keys.ts'
import { decodeYaml, encodeYaml, YamlError, YamlTooLargeError } from '../../../machinery/yaml/yaml.ts'
import type { YamlQuestion, YamlResult } from './yaml-in-worker.ts'

/** Reads YAML and returns JSON, which the server parses in a fraction of the time; or writes YAML. */
function answer(question: YamlQuestion): YamlResult {
  const { id } = question
  try {
    if (question.kind === 'write') return { id, kind: 'written', yaml: encodeYaml(decodeJson(question.json).value) }
    const { bytes, maxValues } = question
    const { value, strictError } = decodeYaml(bytes, { maxValues })
    return { id, kind: 'read', json: encodeJson(sortedKeys(value)), strictError }
  } catch (error) {
    if (error instanceof YamlError) return { id, kind: 'broken', message: error.message }
    if (error instanceof YamlTooLargeError) return { id, kind: 'too-large', message: error.message }
    return { id, kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

parentPort?.on('message', (question: YamlQuestion) => parentPort?.postMessage(answer(question)))
