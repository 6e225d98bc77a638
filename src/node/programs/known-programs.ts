import type { ContainerPrograms } from '../runtime/simulated/play.ts'
import { mainProgram, standsIn } from './find-command.ts'
import type { ImageTable } from './image-match.ts'
import { shippedName } from './shipped/shipped-programs.ts'
import { STAND_IN_TABLE } from './stand-in-table.ts'

/** What the table of images alone says about programs: nothing of them is loaded. */
export const knownPrograms = (images: ImageTable): Pick<ContainerPrograms, 'plays' | 'knows' | 'standsIn' | 'serves'> => ({
  plays: ({ spec }, shipped) => mainProgram(spec, { image: images.find(spec.image), shipped }) !== undefined,
  knows: ([word = '']) => shippedName(word) !== undefined,
  // Of an image without a program its ports are played, whatever it is.
  standsIn: ({ spec }) => images.find(spec.image) === undefined,
  serves: ({ spec }) => images.find(spec.image) === undefined && standsIn(spec.command, STAND_IN_TABLE.find(spec.image)),
})
