"""Thirty-two posts, and for each way of writing a word the posts that it finds by words alone, and those that it doesn't."""

import pytest

from engine import Models
from engine.archive import open_archive
from engine.feeding import build_index
from engine.values import Mode
from tests.factories import post, save, settings, topic

POSTS = {
    1: "La baignade en été",
    2: "Nous avons été retenus",  # the verb: the same word for any stemmer
    3: "Il faut étayer le mur",
    4: "Un coup de cœur pour ce modèle",
    5: "Le choeur de la chapelle",
    6: "Le courrier arrive aujourd'hui",
    7: "Le jour où le courrier arrive",
    8: "Un programme écrit en C++",
    9: "Un programme écrit en C",
    10: "Un programme écrit en C#",
    11: "L'avion F-GABC est à vendre",
    12: "L'avion F-GABD est à vendre",
    13: "Une semelle de 3,5 mm",
    14: "Une semelle de 3 mm, ou de 5",
    15: "Une semelle de 35 mm",
    16: "Mes Weston 180 après dix ans",
    17: "Mes Weston 598 après dix ans",
    18: "Un lot de 180 boutons",
    19: "Une couture cassée",
    20: "Les chevaux du manège",
    21: "Le cheval de bois",
    22: "Une vendeuse aimable",
    23: "Des lacets neufs",
    24: "Une chaîne rouillée",
    25: "Le maïs et la haie",
    26: "Les prud'hommes et la procédure",
    27: "Un bijou en or",
    28: "Le vent d'est souffle",
    29: "La garantie de l'État",
    30: "Un état des lieux",
    31: "Une chaussure de sport neuve et sportive",
    32: "Un tarif annoncé par la conductrice",
}
TABLE = [
    # question, what it must find, what it must not
    ("été", {1, 2}, {3, 29}),
    ("l'été", {1, 2}, {3}),
    ("L'ETE", {1, 2}, {3}),
    ("L’ÉTÉ", {1, 2}, {3}),
    ("e\u0301te\u0301", {1, 2}, {3}),  # decomposed accents
    ("cœur", {4}, {5}),
    ("coeur", {4}, {5}),
    ("CŒURS", {4}, {5}),
    ("chœur", {5}, {4}),
    ("aujourd'hui", {6}, {7}),
    ("aujourd’hui", {6}, {7}),
    ("Aujourdhui", {6}, {7}),
    ("C++", {8}, {9, 10}),
    ("c#", {10}, {8, 9}),
    ("F-GABC", {11}, {12}),
    ("f-gabd", {12}, {11}),
    ("3,5", {13}, {14, 15}),
    ("3.5", {13}, {14, 15}),
    ("« Weston 180 »", {16}, {17, 18}),
    ("Weston", {16, 17}, {18}),
    ("cassé", {19}, set()),
    ("cassées", {19}, set()),
    ("coutures", {19}, set()),
    ("cheval", {20, 21}, set()),
    ("chevaux", {20, 21}, set()),
    ("vendeuses", {22}, {11, 12}),
    ("lacet", {23}, set()),
    ("neuve", {23, 31}, set()),
    ("neuf", {23, 31}, set()),
    ("sportifs", {31}, set()),
    ("conducteur", {32}, set()),
    ("tarifs", {32}, set()),
    ("rouillé", {24}, set()),
    ("chaine", {24}, set()),
    ("mais", set(), {25}),  # the conjunction is not the cereal
    ("maïs", {25}, set()),
    ("prud’hommes", {26}, set()),
    ("prudhomme", {26}, set()),
    ("l'or", {27}, set()),
    ("d'est", {28}, set()),
    ("état", {29, 30}, {1}),
    ("l'etat", {29, 30}, {1}),
]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("analyse")
    posts = [post(n, text, topic_id=n) for n, text in POSTS.items()]
    save(folder, [*(topic(n, "Discussion") for n in POSTS), *posts])
    build_index(settings(folder), Models())
    with open_archive(settings(folder), Models()) as opened:
        yield opened


@pytest.mark.parametrize(("text", "wanted", "unwanted"), TABLE)
def test_each_way_of_writing_finds_its_own_posts(archive, text, wanted, unwanted):
    found = {hit.post_id for hit in archive.search(text, mode=Mode.BM25, k=30).hits}
    assert wanted <= found
    assert not unwanted & found
