import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../../base/message-of.ts'
import { isObject } from '../../machinery/object.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import { isProcessImage, type ProcessImage, processImageFault, wordsOf } from '../../node/programs/processes/process-image.ts'
import type { ImageProgram, ImagePrograms, Program } from '../../node/programs/program.ts'
import { ConfigError } from '../config.ts'

/**
 * Reads `--images FILE`: a module that exports a map of images by default, or YAML that names a module for each image, or a
 * program of this machine (`command`). Modules may be TypeScript.
 */
export async function loadImages(file: string): Promise<ImagePrograms> {
  if (!/\.(ya?ml|json)$/.test(file)) return (await load(file, file)) as ImagePrograms
  let images: unknown
  try {
    const { value } = decodeYaml(readFileSync(file, 'utf8'))
    images = isObject(value) ? value.images : undefined
  } catch (error) {
    throw new ConfigError(`--images: ${file} cannot be read: ${messageOf(error)}`)
  }
  if (!isObject(images)) throw new ConfigError(`--images: ${file} needs "images", a map from images to modules`)
  const programs: Record<string, ImagePrograms[string]> = {}
  for (const [image, module] of Object.entries(images)) {
    const folder = path.dirname(file)
    const name = JSON.stringify(image)
    if (isProcessImage(module)) programs[image] = besideFile(module, folder, `--images: ${file}: ${name}`)
    else if (typeof module === 'string') programs[image] = (await load(path.resolve(folder, module), file)) as Program | ImageProgram
    else throw new ConfigError(`--images: ${file}: ${name} needs the path of a module, or a "command"`)
  }
  return programs
}

/** Paths in a file start from its folder. */
function besideFile(image: ProcessImage, folder: string, where: string): ProcessImage {
  const fault = processImageFault(image)
  if (fault !== undefined) throw new ConfigError(`${where}: ${fault}`)
  const [program = '', ...words] = wordsOf(image)
  const command = [program.includes('/') ? path.resolve(folder, program) : program, ...words]
  return { ...image, command, workingDir: path.resolve(folder, image.workingDir ?? '.') }
}

async function load(module: string, file: string): Promise<unknown> {
  let loaded: { readonly default?: unknown }
  try {
    loaded = await import(pathToFileURL(path.resolve(module)).href)
  } catch (error) {
    throw new ConfigError(`--images: ${module}${module === file ? '' : ` (of ${file})`} cannot be loaded: ${messageOf(error)}`)
  }
  if (loaded.default === undefined || loaded.default === null) throw new ConfigError(`--images: ${module} has no default export`)
  return loaded.default
}
