/** An error that a user can do something about; main prints its message alone and exits with 2. */
export class Failure extends Error {
  override readonly name = 'Failure';
}
