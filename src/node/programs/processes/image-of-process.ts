import path from 'node:path'
import type { AnyImage, AnyProgram } from '../shipped/shipped-process.ts'
import { nameOf, type ProcessImage } from './process-image.ts'
import type { MachineProcesses } from './run-process.ts'

/** Makes programs of images whose program is one of this machine; what runs them is loaded with the first container. */
export function processImages(): (image: ProcessImage) => AnyImage {
  let loading: Promise<MachineProcesses> | undefined
  const machine = () => {
    loading ??= import('./run-process.ts').then(({ MachineProcesses: Machine }) => new Machine())
    return loading
  }
  return (image) => {
    const run: AnyProgram = async (container) => (await machine()).runMain(image, container)
    const exec: AnyProgram = async (container) => (await machine()).runCommand(image, container)
    const { args, stopSignal, workingDir } = image
    const { PATH = '' } = process.env
    return {
      run,
      exec,
      entrypoint: [nameOf(image)],
      workingDir: path.resolve(workingDir ?? '.'),
      environment: { PATH, ...image.environment },
      ...(args !== undefined && { args }),
      ...(stopSignal !== undefined && { stopSignal }),
    }
  }
}
