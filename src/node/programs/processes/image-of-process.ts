import path from 'node:path'
import type { ImageProgram } from '../program.ts'
import type { AnyProgram } from '../shipped/shipped-process.ts'
import { type ProcessImage, wordsOf } from './process-image.ts'
import type { MachineProcesses } from './run-process.ts'

/** Makes programs of images whose program is one of this machine; what runs them is loaded with the first container. */
export function processImages(): (image: ProcessImage) => ImageProgram {
  let loading: Promise<MachineProcesses> | undefined
  const machine = () => {
    loading ??= import('./run-process.ts').then(({ MachineProcesses: Machine }) => new Machine())
    return loading
  }
  return (image) => {
    const run: AnyProgram = async (container) => (await machine()).run(image, container)
    const { args, stopSignal, workingDir } = image
    const { PATH = '' } = process.env
    return {
      run: run as ImageProgram['run'],
      entrypoint: [path.basename(wordsOf(image)[0] ?? '')],
      workingDir: path.resolve(workingDir ?? '.'),
      environment: { PATH, ...image.environment },
      ...(args !== undefined && { args }),
      ...(stopSignal !== undefined && { stopSignal }),
    }
  }
}
