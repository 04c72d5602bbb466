/* tools/manual.c -- the manual page and the completions of shells, written from the table of flags.h. */
#include "tool.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct manual_row {
    const char *text, *kind, *argument, *help;
    int verbs;
} manual_row;
static const manual_row rows[] = {
#define X(field, text, kind, verbs, argument, help) {text, #kind, argument, help, verbs},
    FLAGS(X)
#undef X
};

static bool takes_value(const manual_row *r) { return *r->argument != 0; }
static bool of_verb(const manual_row *r, int verb) { return (r->verbs & 1 << verb) != 0; }
/* "auto|cuda|host": the values themselves. FILE, N or sm_90a: an example or a placeholder. */
static bool lists_values(const manual_row *r) { return strchr(r->argument, '|') != NULL; }
/* Placeholders of files are the names of files, with a suffix, and the words FILE and DIR. */
static bool names_file(const manual_row *r) {
    return strcmp(r->argument, "FILE") == 0 || strcmp(r->argument, "DIR") == 0 || strchr(r->argument, '.') != NULL;
}
/* The values with `between` in place of the bars. */
static void put_values(const manual_row *r, char between) {
    const char *p;
    for (p = r->argument; *p; p++) putchar(*p == '|' ? between : *p);
}

/* ---- the manual page ---- */

/* Text for troff: a dash is a minus that can be searched for, and no line begins with a control character. */
static void put_troff(const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}
static void manual_verbs(void) {
    int k;
    puts(".SH SYNOPSIS");
    for (k = 0; verb_names[k]; k++) {
        fputs(".B xlagpu ", stdout);
        put_troff(verb_names[k]);
        printf("\n[\\fIflags\\fR] \\fI");
        put_troff(verb_takes[k]);
        puts("\\fR\n.br");
    }
    puts(".B xlagpu man\n.br\n.B xlagpu completions bash\\fR|\\fBzsh\\fR|\\fBfish");
    puts(
        ".SH DESCRIPTION\nCompiles modules of XLA (HLO text, StableHLO) to PTX and runs them on an NVIDIA GPU, or on a "
        "simulator that checks every access.");
    for (k = 0; verb_names[k]; k++) {
        printf(".TP\n.B ");
        put_troff(verb_names[k]);
        putchar('\n');
        put_troff(verb_help[k]);
        putchar('\n');
    }
}
static void manual_flags(void) {
    size_t k;
    int verb, first;
    puts(".ad l\n.SH OPTIONS\nOne dash or two; a value follows behind = or as the next word. The flags of the variable "
         "XLA_FLAGS "
         "come first. In brackets: the verbs that take the flag.");
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        printf(".TP\n\\fB\\-\\-");
        put_troff(rows[k].text);
        printf("\\fR");
        if (takes_value(&rows[k])) {
            printf("=\\fI");
            put_troff(rows[k].argument);
            printf("\\fR");
        }
        printf(" [");
        for (verb = 0, first = 1; verb_names[verb]; verb++)
            if (of_verb(&rows[k], verb)) {
                printf("%s%s", first ? "" : ", ", verb_names[verb]);
                first = 0;
            }
        puts("]");
        put_troff(rows[k].help);
        putchar('\n');
    }
}
static void manual(void) {
    printf(".TH XLAGPU 1 \"\" \"xlagpu %s\" \"User Commands\"\n", XLAGPU_VERSION);
    puts(".SH NAME\nxlagpu \\- compile XLA modules to PTX, run them on a GPU or on a simulator");
    manual_verbs();
    manual_flags();
    puts(".SH FILES\nIn npz files arg0, arg1 ... are the parameters, out0, out1 ... the results. A file named \\- is "
         "standard input, or standard output.");
    puts(".SH EXIT STATUS\n.TP\n0\nran, and equal where something was to compare\n.TP\n1\nresults differ\n.TP\n2\nbad "
         "input or usage\n.TP\n3\nthe device failed, or there is none\n.TP\n4\nthe simulator found a fault");
    puts(".SH EXAMPLES\n.nf\nxlagpu run model.hlo\nxlagpu compile model.hlo \\-\\-target=sm_90a \\-o model.ptx\nxlagpu "
         "opt model.hlo \\-\\-passes=dce\nxlagpu sim kernel.ptx \\-\\-entry k \\-\\-block 32 \\-\\-arg out:f32:32:y.npy"
         "\n.fi");
}

/* ---- completions ---- */

static void bash_flags(void) {
    size_t k;
    int verb;
    puts("    case $verb in");
    for (verb = 0; verb_names[verb]; verb++) {
        printf("    %s) flags=\"", verb_names[verb]);
        for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
            if (of_verb(&rows[k], verb)) printf(" --%s%s", rows[k].text, takes_value(&rows[k]) ? "=" : "");
        puts("\" ;;");
    }
    puts("    esac");
}
/* bash splits words at =, so a flag and its value are three words. */
static void completions_bash(void) {
    size_t k;
    int verb;
    puts(
        "# bash completion of xlagpu\n_xlagpu() {\n    local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} flags "
        "flag\n    if [ \"$COMP_CWORD\" = 1 ]; then");
    printf("        COMPREPLY=($(compgen -W \"");
    for (verb = 0; verb_names[verb]; verb++) printf("%s ", verb_names[verb]);
    puts("man completions help\" -- \"$cur\"))\n        return\n    fi\n    flag=${COMP_WORDS[COMP_CWORD-1]}\n    if [ "
         "\"$cur\" = = ]; then cur=\n    elif [ \"$flag\" = = ]; then flag=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n    "
         "case "
         "$flag in");
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (lists_values(&rows[k])) {
            printf("    --%s) COMPREPLY=($(compgen -W \"", rows[k].text);
            put_values(&rows[k], ' ');
            puts("\" -- \"$cur\")); return ;;");
        }
    puts("    esac");
    bash_flags();
    puts("    case $cur in\n    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n        case ${COMPREPLY[0]} in "
         "*=) "
         "compopt -o nospace 2>/dev/null ;; esac ;;\n    *) COMPREPLY=($(compgen -f -- \"$cur\"))\n        compopt -o "
         "filenames 2>/dev/null ;;\n    esac\n}\ncomplete -F _xlagpu xlagpu");
}

/* Inside '...': a quote ends it, and in a description of zsh brackets and colons have a meaning. */
static void put_quoted(const char *text, const char *escaped) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else {
            if (strchr(escaped, *text)) putchar('\\');
            putchar(*text);
        }
    }
}
static void zsh_flag(const manual_row *r) {
    printf("        '--%s%s[", r->text, takes_value(r) ? "=" : "");
    put_quoted(r->help, "[]:");
    putchar(']');
    if (takes_value(r)) {
        printf(":value:");
        if (lists_values(r)) {
            putchar('(');
            put_values(r, ' ');
            putchar(')');
        } else if (names_file(r))
            printf("_files");
    }
    puts("' \\");
}
static void completions_zsh(void) {
    size_t k;
    int verb;
    puts("#compdef xlagpu\n_xlagpu() {\n    local -a verbs\n    verbs=(");
    for (verb = 0; verb_names[verb]; verb++) {
        printf("        '%s:", verb_names[verb]);
        put_quoted(verb_help[verb], ":");
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n        return\n    fi\n    local "
         "verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $verb in");
    for (verb = 0; verb_names[verb]; verb++) {
        printf("    %s) _arguments \\\n", verb_names[verb]);
        for (k = 0; k < sizeof rows / sizeof rows[0]; k++)
            if (of_verb(&rows[k], verb)) zsh_flag(&rows[k]);
        puts("        '*:file:_files' ;;");
    }
    puts("    esac\n}\n_xlagpu \"$@\"");
}
static void fish_flag(const manual_row *r) {
    int verb;
    printf("complete -c xlagpu -n '__fish_seen_subcommand_from");
    for (verb = 0; verb_names[verb]; verb++)
        if (of_verb(r, verb)) printf(" %s", verb_names[verb]);
    printf("' -l %s", r->text);
    if (lists_values(r)) {
        printf(" -x -a '");
        put_values(r, ' ');
        putchar('\'');
    } else if (takes_value(r))
        printf(" -r");
    printf(" -d '");
    put_quoted(r->help, "");
    puts("'");
}
static void completions_fish(void) {
    size_t k;
    int verb;
    for (verb = 0; verb_names[verb]; verb++) {
        printf("complete -c xlagpu -n __fish_use_subcommand -f -a %s -d '", verb_names[verb]);
        put_quoted(verb_help[verb], "");
        puts("'");
    }
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++) fish_flag(&rows[k]);
}

int write_manual(void) {
    manual();
    return OK;
}
int write_completions(const char *shell) {
    if (strcmp(shell, "bash") == 0)
        completions_bash();
    else if (strcmp(shell, "zsh") == 0)
        completions_zsh();
    else if (strcmp(shell, "fish") == 0)
        completions_fish();
    else
        return fail(
            BAD, "xlagpu: error: completions of '%s': there are bash, zsh and fish: xlagpu completions bash", shell);
    return OK;
}
