import type { StepContext } from '../context.ts';
import type { Command, CommandResult } from '../ports/index.ts';

/**
 * Runs a command whose output belongs into the run's log.
 * @param onLine sees each line, too
 */
export function runLogged(
  command: Omit<Command, 'onLine'>,
  context: StepContext,
  onLine: (line: string, stream: 'stdout' | 'stderr') => void = () => {},
): Promise<CommandResult> {
  const logLine: Command['onLine'] = (line, stream) => {
    context.log.child(line);
    onLine(line, stream);
  };
  return context.commands.run({ ...command, onLine: logLine }, context.signal);
}
