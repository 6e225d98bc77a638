/** The state of the checkout, and the version that is wanted. */
export interface ReleaseRequest {
  readonly version: string
  /** `2026-11-23` */
  readonly date: string
  readonly branch: string
  readonly isClean: boolean
  readonly tags: readonly string[]
  /** The texts of the files that name the version, by their paths. */
  readonly files: Readonly<Record<string, string>>
}

export type ReleasePlan =
  | { readonly kind: 'refused'; readonly reasons: readonly string[] }
  | { readonly kind: 'release'; readonly tag: string; readonly notes: string; readonly files: Readonly<Record<string, string>> }

const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

/** What a release writes, or every reason against it. */
export function planRelease(request: ReleaseRequest): ReleasePlan {
  const { version, date, files } = request
  const tag = `v${version}`
  const notes = (UNRELEASED.exec(files['CHANGELOG.md'] ?? '')?.[1] ?? '').trim()
  const reasons = reasonsAgainst(request, tag, notes)
  if (reasons.length > 0) return { kind: 'refused', reasons }
  const edits: Readonly<Record<string, (text: string) => string>> = {
    'package.json': withVersion(version),
    'package-lock.json': withVersion(version),
    'src/base/version.ts': (text) => text.replace(/(?<=export const VERSION = ')[^']+/, version),
    'CHANGELOG.md': (text) => text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${date})\n`),
  }
  return {
    kind: 'release',
    tag,
    notes,
    files: Object.fromEntries(Object.entries(files).map(([file, text]) => [file, edits[file]?.(text) ?? text])),
  }
}

function reasonsAgainst({ version, branch, isClean, tags }: ReleaseRequest, tag: string, notes: string): string[] {
  const reasons: string[] = []
  if (!VERSION.test(version)) reasons.push(`${JSON.stringify(version)} is not a version such as 0.2.0: npm run release -- 0.2.0`)
  if (branch !== 'main') reasons.push(`releases are made from main, not from ${branch || 'a detached commit'}: git switch main`)
  if (!isClean) reasons.push('there are changes that are not committed: commit or stash them')
  if (tags.includes(tag)) reasons.push(`the tag ${tag} exists: choose a later version`)
  if (notes === '') reasons.push('CHANGELOG.md has nothing under "## Unreleased": add what users will notice')
  return reasons
}

/** The version of the package itself: the first in package.json, the first two in package-lock.json. */
const withVersion = (version: string) => (text: string) => {
  const own = JSON.parse(text).version
  let left = text.includes('"lockfileVersion"') ? 2 : 1
  return text.replaceAll(`"version": ${JSON.stringify(own)}`, (found) => (left-- > 0 ? `"version": ${JSON.stringify(version)}` : found))
}
