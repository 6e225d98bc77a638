import type { TokenAuthenticator } from '../../../apiserver/identity/authenticator.ts'
import { CsvError, parseCsv } from '../../../machinery/go/go-csv.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'

/** Tokens of a file. They have no audience of their own, and are valid for the server's. */
export function staticTokenAuthenticator(tokens: ReadonlyMap<string, UserInfo>, own: readonly string[]): TokenAuthenticator {
  return {
    authenticateToken(token, audiences) {
      const user = tokens.get(token)
      const good = audiences.filter((a) => own.includes(a))
      return user === undefined || good.length === 0 ? undefined : { user, audiences: good }
    },
  }
}

/** Why a token file is invalid, with Kubernetes' message. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError'
  readonly code = 'bad-token-file'
}

/**
 * Parses a token file: `token,user,uid` and optionally `,"group1,group2"` in each record. Of duplicate tokens the last counts; empty ones
 * are skipped.
 * @throws {TokenFileError}
 */
export function parseTokenFile(text: string, file: string): Map<string, UserInfo> {
  const tokens = new Map<string, UserInfo>()
  for (const record of readRecords(text)) {
    if (record.length < 3) {
      throw new TokenFileError(`token file '${file}' must have at least 3 columns (token, user name, user uid), found ${record.length}`)
    }
    const [token = '', name = '', uid = '', groups] = record
    if (token !== '') tokens.set(token, { name, uid, groups: groups === undefined ? [] : groups.split(',') })
  }
  return tokens
}

function readRecords(text: string): string[][] {
  try {
    return parseCsv(text)
  } catch (error) {
    throw error instanceof CsvError ? new TokenFileError(error.message) : error
  }
}
