import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../../machinery/object.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import type { ImageProgram, ImagePrograms, Program } from '../../node/programs/program.ts'
import { ConfigError } from '../config.ts'

/**
 * Reads `--images FILE`: a module that exports a map of images by default, or YAML that names a module for each image. Modules may be
 * TypeScript.
 */
export async function loadImages(file: string): Promise<ImagePrograms> {
  if (!/\.(ya?ml|json)$/.test(file)) return (await load(file, file)) as ImagePrograms
  let images: unknown
  try {
    const { value } = decodeYaml(readFileSync(file, 'utf8'))
    images = isObject(value) ? value.images : undefined
  } catch (error) {
    throw new ConfigError(`--images: ${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  if (!isObject(images)) throw new ConfigError(`--images: ${file} needs "images", a map from images to modules`)
  const programs: Record<string, Program | ImageProgram> = {}
  for (const [image, module] of Object.entries(images)) {
    if (typeof module !== 'string') throw new ConfigError(`--images: ${file}: ${JSON.stringify(image)} needs the path of a module`)
    programs[image] = (await load(path.resolve(path.dirname(file), module), file)) as Program | ImageProgram
  }
  return programs
}

async function load(module: string, file: string): Promise<unknown> {
  let loaded: { readonly default?: unknown }
  try {
    loaded = await import(pathToFileURL(path.resolve(module)).href)
  } catch (error) {
    throw new ConfigError(
      `--images: ${module}${module === file ? '' : ` (of ${file})`} cannot be loaded: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (loaded.default === undefined || loaded.default === null) throw new ConfigError(`--images: ${module} has no default export`)
  return loaded.default
}
