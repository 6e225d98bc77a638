import { readFileSync } from 'node:fs'
import { isObject, type KubeObject } from '../machinery/object.ts'
import { splitDocuments } from '../machinery/yaml/line-map.ts'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import { readOptionFile } from './read-option-file.ts'

/** The objects of the manifests of an option. @throws {UsageError} that names a file with something else in it */
export async function readObjects(option: string, files: readonly string[]): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  for (const name of files) objects.push(...(await readOptionFile(option, name, objectsIn)))
  return objects
}

function objectsIn(file: string): readonly KubeObject[] {
  const found = splitDocuments(readFileSync(file, 'utf8')).map((d) => decodeYaml(d.text).value)
  return found
    .filter((value) => value !== null)
    .map((value) => {
      if (!isObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string')
        throw new Error('an object without apiVersion and kind')
      return value as unknown as KubeObject
    })
}
