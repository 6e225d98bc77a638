import type { LiveText } from '../../base/live-text.ts'
import { bundleFaultOf } from '../../machinery/x509/bundle-fault.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'

/** The certificates of a CA file, at least one; `purpose` is kube-apiserver's name of the bundle. */
export function caBundle(purpose: string, file: string): LiveText {
  const text = optionFile(file)
  const fault = bundleFaultOf(text.current())
  if (fault !== undefined) throw new OptionsError('bad-file', `error loading CA bundle for "${purpose}::${file}": ${fault}`)
  return text
}
