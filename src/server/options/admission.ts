import type { FlagValues } from '../../machinery/flags/flag.ts'
import { int, refused, strings, text } from '../../machinery/flags/kinds.ts'

/** Which admission plugins run, and their configuration. */
export const ADMISSION_FLAGS = {
  'enable-admission-plugins': strings([], { help: 'plugins to run besides those that run by default' }),
  'disable-admission-plugins': strings([], { help: 'plugins not to run' }),
  'admission-control': strings([], refused('use --enable-admission-plugins and --disable-admission-plugins')),
  'admission-control-config-file': text('', refused('not followed yet')),
  'default-not-ready-toleration-seconds': int(300, refused('not followed yet')),
  'default-unreachable-toleration-seconds': int(300, refused('not followed yet')),
}

type AdmissionValues = FlagValues<typeof ADMISSION_FLAGS>

export interface AdmissionOptions {
  /** Names of plugins to switch on, or off, against the default. */
  readonly enable: readonly string[]
  readonly disable: readonly string[]
}

export const admissionFaults = (_flags: { readonly values: AdmissionValues }): string[] => []

export const readAdmission = ({ values }: { readonly values: AdmissionValues }): AdmissionOptions => ({
  enable: values['enable-admission-plugins'],
  disable: values['disable-admission-plugins'],
})
