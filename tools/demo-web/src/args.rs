//! Arguments of `demo-web`, and the text of its man page.

use crate::news::NewsLanguage;
use crate::sentences::{LANGUAGES, Language};
use forage_cli::{Tool, Verbosity};
use std::net::SocketAddr;

/// Print the pages of a small closed web in many languages
///
/// Each page has 8 to 15 sentences of one language, drawn without replacement from the test
/// sentences of Lingua's language models, which the program contains. They are real sentences from
/// websites, but those on one page are unrelated. Neither the host of a page nor its position in
/// the output depends on its language. English has the most pages, 105; the other languages have 89
/// to 96, except Turkish (74), Chinese (72) and Japanese (43), of which there are fewer sentences.
/// One page in 32 is Slovenian.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// The output to print
    #[command(subcommand)]
    pub command: Option<DemoCommand>,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// The subcommands, one for each output.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum DemoCommand {
    /// Print the pages as records with url, title and text (default)
    Docs,
    /// Print an initial text of 15 sentences, none of which is on a page
    Seed {
        /// ISO 639-3 code of the language
        #[arg(value_name = "LANG", value_parser = parse_language)]
        language: &'static Language,
    },
    /// Print the contrast classes of a language, one code per line
    ///
    /// A run that collects the language needs an initial text of each of them, to learn exclusion
    /// terms from: English, and up to three languages that are related or share the script.
    Contrast {
        /// ISO 639-3 code of the language
        #[arg(value_name = "LANG", value_parser = parse_language)]
        language: &'static Language,
    },
    /// Print the language of each page: URL, tab, ISO 639-3 code
    Truth,
    /// Print the articles of a small news web
    ///
    /// Each article is on one of 12 subjects (6 in Japanese) and has a lead, sentences on its
    /// subject and general sentences, composed from templates that the program contains. Articles
    /// on a subject share words, but not their names and numbers; one in eight also has sentences
    /// on another subject. There are 720 articles in English and 240 in Japanese.
    News {
        /// Language of the articles
        #[arg(long, value_name = "LANG", value_enum, default_value_t)]
        language: NewsLanguage,
        /// Add the subject of each article as `subject`
        #[arg(long)]
        labels: bool,
        /// Print one more article on a subject, as an HTML page, instead of the web
        ///
        /// The article is not on the web.
        #[arg(long, value_name = "SUBJECT", conflicts_with = "labels")]
        sample: Option<String>,
    },
    /// Serve a small web of linked pages, or print what belongs to it
    ///
    /// The web has 40 articles on each of the 12 subjects of the news web and 325 pages in 14
    /// languages, on 19 sites with lists, a portal and a directory. Links lead to pages on the same
    /// subject or in the same language more often than to others; some pages are on no list. There
    /// are dead links, redirects, a robots.txt, and a calendar without an end.
    #[command(subcommand)]
    Linked(LinkedCommand),
}

/// The subcommands of `linked`.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum LinkedCommand {
    /// Serve the web over HTTP, for all of its hosts, until a signal ends it
    ///
    /// The address is printed when the server is ready. With --connect-to ADDRESS, fetch-extract
    /// and focused-crawl fetch all pages from there.
    Serve {
        /// Address on loopback; with port 0, a free port
        #[arg(
            long,
            value_name = "ADDRESS:PORT",
            default_value = "127.0.0.1:0",
            value_parser = parse_loopback
        )]
        listen: SocketAddr,
    },
    /// Print 100 articles on a subject, from other hosts, to start a crawl with
    Core {
        /// Subject of the news web
        #[arg(default_value = "earthquakes")]
        subject: String,
    },
    /// Print the URLs from which a crawl can reach all pages
    Seeds,
    /// Print what each page is: URL, tab, subject, tab, ISO 639-3 code
    ///
    /// The subject is `list` for pages that list others, and `-` for those in other languages.
    Truth,
}

impl Tool for Args {
    const NAME: &'static str = "demo-web";
}

fn parse_language(code: &str) -> Result<&'static Language, String> {
    LANGUAGES
        .iter()
        .find(|language| language.code == code)
        .ok_or_else(|| {
            let codes: Vec<&str> = LANGUAGES.iter().map(|language| language.code).collect();
            format!("not one of {}", codes.join(", "))
        })
}

fn parse_loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text.parse().map_err(|_| "not an IP address with a port")?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err("not an address of this machine, such as 127.0.0.1:8000".into())
    }
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();

#[cfg(test)]
mod tests {
    use super::{Args, DemoCommand, NewsLanguage, parse_loopback};
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn news_is_in_english_unless_japanese_is_given() {
        let parse = |args: &[&str]| {
            Args::try_parse_from([&["demo-web", "news"], args].concat()).map(|args| args.command)
        };
        let language = |args: &[&str]| match parse(args).unwrap() {
            Some(DemoCommand::News { language, .. }) => language,
            command => panic!("{command:?}"),
        };
        assert_eq!(language(&[]), NewsLanguage::Eng);
        assert_eq!(language(&["--language", "jpn"]), NewsLanguage::Jpn);
        assert!(parse(&["--language", "slv"]).is_err());
        assert!(parse(&["--labels", "--sample", "fishing"]).is_err());
    }

    #[test]
    fn the_web_is_served_on_loopback_only() {
        for address in ["127.0.0.1:0", "[::1]:8000"] {
            assert!(parse_loopback(address).is_ok(), "{address}");
        }
        for address in ["0.0.0.0:8000", "192.0.2.1:80", "localhost:80", "127.0.0.1"] {
            assert!(parse_loopback(address).is_err(), "{address}");
        }
    }

    #[test]
    fn an_unknown_language_is_refused_with_a_list_of_the_known_ones() {
        let message = Args::try_parse_from(["demo-web", "seed", "xxx"])
            .unwrap_err()
            .to_string();
        assert!(message.contains("not one of ara, ben, bos, "), "{message}");
    }
}
