import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { VERSION } from '../base/version.ts'
import { CreateOperatorError, createOperator } from '../tools/create-operator.ts'
import { createCertificateCommand } from './create-certificate.ts'
import { IN_CHECKOUT } from './in-checkout.ts'
import { newFolder, word } from './option-values.ts'
import { reportFailure } from './report-failure.ts'

interface OperatorFlags {
  readonly kind: string
  readonly group: string
  readonly bowsprit?: string
}

/** The checkout, or the installed package, that this program belongs to. */
const ROOT = path.join(import.meta.dirname, IN_CHECKOUT ? '../..' : '..')
const TEMPLATE = path.join(IN_CHECKOUT ? ROOT : import.meta.dirname, 'templates', 'operator')

/** `bowsprit create operator`: writes a new project. */
export function createCommand(): Command {
  const operator = new Command('operator')
    .description('create an operator in TypeScript, with tests')
    .argument('<folder>', "the folder of the project, new or empty; its name is the project's name", newFolder)
    .option('--kind <kind>', 'the kind of the custom resource, in CamelCase', word, 'Gadget')
    .option('--group <group>', 'the API group of the kind', word, 'example.com')
    .option('--bowsprit <version>', 'the bowsprit that it depends on: a version, or the path of a tarball (default: this one)', word)
    .action(create)
  return new Command('create')
    .description('create an operator project, or the certificate of a webhook')
    .addCommand(operator)
    .addCommand(createCertificateCommand())
}

function create(folder: string, { kind, group, bowsprit }: OperatorFlags): void {
  try {
    createOperator({ folder, kind, group, bowsprit: bowsprit ?? ownPackage() }, TEMPLATE)
    console.log(`${folder} is written. Next:\n\n  cd ${folder}\n  npm install\n  npm test\n\nThen read its README.md.`)
  } catch (error) {
    reportFailure('create operator', error, error instanceof CreateOperatorError ? 2 : 1)
  }
}

/** How this very package can be installed again. @throws {CreateOperatorError} */
function ownPackage(): string {
  const tarball = IN_CHECKOUT ? path.join(ROOT, `bowsprit-${VERSION}.tgz`) : installedTarball()
  if (IN_CHECKOUT && !existsSync(tarball ?? ''))
    throw new CreateOperatorError('a checkout has no package yet: run `npm pack` in it first, or name a version with --bowsprit')
  return tarball ?? `^${VERSION}`
}

/** The tarball that this package was installed from: `npm install ./bowsprit-0.1.0.tgz` notes it in the package.json of the project. */
function installedTarball(): string | undefined {
  const project = path.join(ROOT, '..', '..')
  const manifest = path.join(project, 'package.json')
  if (!existsSync(manifest)) return undefined
  const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Record<string, string> | undefined>
  const spec = { ...devDependencies, ...dependencies }.bowsprit
  return spec?.startsWith('file:') && spec.endsWith('.tgz') ? path.resolve(project, spec.slice('file:'.length)) : undefined
}
