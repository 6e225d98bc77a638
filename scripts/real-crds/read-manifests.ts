import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isObject, type KubeObject } from '../../src/machinery/object.ts'
import { splitDocuments } from '../../src/machinery/yaml/line-map.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import type { CustomResourceDefinition } from '../../src/resources/apiextensions/types.ts'

export interface Manifest<T extends KubeObject = KubeObject> {
  readonly file: string
  readonly sizeBytes: number
  readonly object: T
  /** It lies in a folder named `invalid`: a server has to refuse it. */
  readonly invalid: boolean
}

export interface Manifests {
  readonly definitions: readonly Manifest<CustomResourceDefinition>[]
  readonly objects: readonly Manifest[]
}

/** All objects of the YAML files of a folder and of those in it. What is no object is left out. */
export function readManifests(folder: string): Manifests {
  const definitions: Manifest<CustomResourceDefinition>[] = []
  const objects: Manifest[] = []
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.ya?ml$/.test(file)) continue
    for (const { text } of splitDocuments(readFileSync(path.join(folder, file), 'utf8'))) {
      const { value } = decodeYaml(text)
      if (!isObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string') continue
      const object = value as unknown as KubeObject
      const manifest = { file, sizeBytes: Buffer.byteLength(text), object, invalid: file.split(path.sep).includes('invalid') }
      if (object.kind === 'CustomResourceDefinition') definitions.push({ ...manifest, object: object as CustomResourceDefinition })
      else objects.push(manifest)
    }
  }
  return { definitions, objects }
}
