import { memo } from '../../base/collections/memo.ts'
import { processImages } from './processes/image-of-process.ts'
import { isProcessImage, type ProcessImage } from './processes/process-image.ts'
import type { ImageProgram, ImagePrograms, Program } from './program.ts'
import type { AnyImage } from './shipped/shipped-process.ts'

/** The programs of images, found by the name that a manifest gives. */
export interface ImageTable {
  find(image: string): AnyImage | undefined
}

export function createImageTable(images: ImagePrograms): ImageTable {
  const ofProcess = processImages()
  const imageOf = (program: Program | ImageProgram | ProcessImage): AnyImage => {
    if (typeof program === 'function') return { run: program }
    return isProcessImage(program) ? ofProcess(program) : program
  }
  const entries = Object.entries(images).map(([pattern, program]) => ({ pattern: patternOf(pattern), program: imageOf(program) }))
  // Any user who may create pods chooses the names.
  const programOf = memo(
    (image) => {
      const names = namesOf(image)
      return entries.find(({ pattern }) => names.some((name) => pattern.test(name)))?.program ?? null
    },
    { most: 10_000 },
  )
  return { find: (image) => programOf(image) ?? undefined }
}

/** Where the tag or digest begins; the length of the name where it has neither. */
function endOfName(image: string): number {
  const digest = image.indexOf('@')
  if (digest >= 0) return digest
  const colon = image.indexOf(':', image.lastIndexOf('/') + 1)
  return colon < 0 ? image.length : colon
}

/** `docker.io/library/web` is `web`, and no tag is the tag `latest`. */
function namesOf(image: string): readonly string[] {
  const tagged = endOfName(image) === image.length ? `${image}:latest` : image
  const short = tagged.replace(/^(index\.)?docker\.io\/(library\/)?/, '')
  return short === tagged ? [tagged] : [tagged, short]
}

function patternOf(pattern: string): RegExp {
  const whole = pattern.slice(endOfName(pattern)) === '' && !pattern.endsWith('**') ? `${pattern}{tag}` : pattern
  const parts = whole.split(/(\*\*|\*|\{tag\})/).map((part) => {
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    return part === '{tag}' ? '[:@].*' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`)
}
