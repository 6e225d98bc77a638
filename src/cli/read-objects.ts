import { readFileSync } from 'node:fs'
import type { KubeObject } from '../machinery/object.ts'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import { splitDocuments } from '../tools/line-map.ts'

/** The objects of these manifests. @throws {Error} that names a file with something else in it */
export function readObjects(files: readonly string[]): KubeObject[] {
  return files.flatMap((file) => {
    const found = splitDocuments(readFileSync(file, 'utf8')).map((d) => decodeYaml(d.text).value as KubeObject | null)
    for (const object of found)
      if (object !== null && (typeof object.kind !== 'string' || typeof object.apiVersion !== 'string'))
        throw new Error(`${file}: an object without apiVersion and kind`)
    return found.filter((o) => o !== null)
  })
}
